// The slopes of ALiBi, for any number of heads.
#pragma once

#include <vector>

#include "framework/core/tensor.h"

namespace ordinal {

/// m_h = 2^(-8h/H), h = 1 … H, for H a power of two. Otherwise those of the power of two below, followed by
/// every other slope of twice that power, from the first on: Press et al. 2022, and their code. With one head
/// the slope is 1/256, almost no bias over short distances.
std::vector<double> alibi_slopes(Index heads);

}  // namespace ordinal

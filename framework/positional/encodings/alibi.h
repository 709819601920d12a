// The slopes of ALiBi, for any number of heads.
#pragma once

#include <vector>

#include "framework/core/tensor.h"

namespace ordinal {

/// m_h = 2^(-8h/H), h = 1 … H, if H is a power of two. Otherwise the slopes of the next lower power of two,
/// followed by every other slope of twice that power, starting with the first: Press et al. 2022, and their
/// code. With one head the slope is 1/256, almost no bias over short distances.
std::vector<double> alibi_slopes(Index heads);

}  // namespace ordinal

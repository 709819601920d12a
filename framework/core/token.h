// Tokens are whole numbers in [0, vocab_size).
#pragma once

#include <cstdint>

namespace ordinal {

using Token = std::int32_t;

/// A target that carries no loss: padding, or the prompt of a task of which only the answer is scored.
inline constexpr Token ignore_index = -1;

}  // namespace ordinal

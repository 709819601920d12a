// Stick-breaking attention (Tan et al. 2024): the weights of one row of scores, in place of a softmax.
#pragma once

#include "framework/core/tensor.h"

namespace ordinal {

/// Goes left from the query's own token. Key j gets the share β_j = σ(z_j) of what remains of a stick:
///   w_j = β_j Π_{j < k < i} (1 - β_k)  for j < i,   w_i = Π_{k < i} (1 - β_k).
/// The query's own token i = n - 1 gets the rest, so the weights sum to 1. Its score is not read. `row` holds the
/// scores z (n) on entry, w on return. In logarithms, ln(1 - σ(z)) = -ln(1 + e^z), so that nothing overflows. n >= 1.
template <typename T>
void stick_breaking(T* row, Index n);

/// The same for `row`, plus the gradient: d = dw on entry and dz on return, with dz_i = 0. `shares` (n) gets β.
template <typename T>
void stick_breaking_backward(T* row, T* d, T* shares, Index n);

}  // namespace ordinal

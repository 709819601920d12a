// Stick-breaking attention (Tan et al. 2024): the weights of one row of scores, in place of a softmax.
#pragma once

#include "framework/core/tensor.h"

namespace ordinal {

/// Walks from the query's own token to the left; key j gets the share β_j = σ(z_j) of what is left of a stick:
///   w_j = β_j Π_{j < k < i} (1 - β_k)  for j < i,   w_i = Π_{k < i} (1 - β_k),
/// so that the query's own token i = n - 1, whose score is not read, gets the rest, and the weights sum to 1. Scores
/// z (n) on entry of `row`, w on return. In logarithms, ln(1 - σ(z)) = -ln(1 + e^z), so that nothing overflows. n >= 1.
template <typename T>
void stick_breaking(T* row, Index n);

/// The same for `row`, and the gradient: d = dw on entry, dz on return, with dz_i = 0. `shares` (n) gets β.
template <typename T>
void stick_breaking_backward(T* row, T* d, T* shares, Index n);

}  // namespace ordinal

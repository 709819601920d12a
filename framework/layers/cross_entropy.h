// Softmax cross-entropy: the loss of every task.
#pragma once

#include <span>

#include "framework/core/tensor.h"

namespace ordinal {

/// ℓ_t = log Σ_v exp(z_tv) - z_t,target in nats for each row of logits z (tokens, vocab_size); 0 where the
/// target is ignore_index. ℓ is summed in double. Throws DataError for a target outside [0, vocab_size).
template <typename T>
void cross_entropy(View<const T> logits, std::span<const Token> targets, std::span<double> losses);

/// Returns Σ_t ℓ_t, and writes its gradient times `weight`: d_logits_t = weight (softmax(z_t) -
/// onehot(target_t)), zero where the target is ignore_index. With weight = 1 / (number of targets in the
/// whole batch), this is the gradient of the mean.
template <typename T>
double cross_entropy_backward(View<const T> logits, std::span<const Token> targets, T weight,
                              View<T> d_logits);

/// Number of targets that carry loss.
Index count_targets(std::span<const Token> targets);

}  // namespace ordinal

// Softmax cross-entropy: the loss of every task.
#pragma once

#include <span>

#include "framework/core/tensor.h"

namespace ordinal {

/// ℓ_t = log Σ_v exp(z_tv) - z_t,target in nats for each row of logits z (tokens, vocab_size); 0 where the
/// target is ignore_index. The exponentials are summed in T; their logarithm and ℓ are doubles. Throws DataError for a target
/// outside [0, vocab_size), std::invalid_argument unless there is a target and a loss for each row.
template <typename T>
void cross_entropy(View<const T> logits, std::span<const Token> targets, std::span<double> losses);

/// Returns Σ_t ℓ_t, summed in double, and writes its gradient times `weight`: d_logits_t = weight (softmax(z_t) -
/// onehot(target_t)), zero where the target is ignore_index. With weight = 1 / (number of targets in the
/// whole batch), this is the gradient of the mean. Throws as cross_entropy() does.
template <typename T>
double cross_entropy_backward(View<const T> logits, std::span<const Token> targets, T weight,
                              View<T> d_logits);

/// Number of targets that carry loss.
Index count_targets(std::span<const Token> targets);

}  // namespace ordinal

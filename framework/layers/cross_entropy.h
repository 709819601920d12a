// Softmax cross-entropy: the loss of every task.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "framework/core/errors.h"
#include "framework/core/tensor.h"
#include "framework/math/vector_math.h"

namespace ordinal {

/// Throws DataError unless the target of row `row` is in [0, vocab_size) or ignore_index.
inline void check_target(Token target, Index row, Index vocab_size) {
  if (target < ignore_index || target >= vocab_size) {
    throw DataError(fmt::format("target {} at position {}: expected 0 to {}, or {} to ignore it", target, row,
                                vocab_size - 1, ignore_index));
  }
}

/// Throws std::invalid_argument unless there are a target and a result for each row.
inline void check_rows(Index rows, std::size_t targets, std::size_t outcomes) {
  if (std::cmp_equal(targets, rows) && std::cmp_equal(outcomes, rows)) return;
  throw std::invalid_argument(
      fmt::format("cross_entropy: got {} rows of logits, {} targets and {} results, expected as many of each",
                  rows, targets, outcomes));
}

/// ℓ_t = log Σ_v exp(z_tv) - z_t,target in nats for each row of logits z (tokens, vocab_size); 0 where the
/// target is ignore_index. The exponentials are summed in T; their logarithm and ℓ are doubles. Throws DataError for a target
/// outside [0, vocab_size), std::invalid_argument unless there is a target and a loss for each row.
template <typename T>
void cross_entropy(View<const T> logits, std::span<const Token> targets, std::span<double> losses) {
  check_rows(logits.rows, targets.size(), losses.size());
  std::vector<T> exponentials(static_cast<std::size_t>(logits.cols));
  for (Index r = 0; r < logits.rows; ++r) {
    const auto row = static_cast<std::size_t>(r);
    const Token target = targets[row];
    check_target(target, r, logits.cols);
    losses[row] = 0.0;
    if (target == ignore_index) continue;
    const T* z = logits.row(r);
    const T largest = vmath::max(z, logits.cols);
    const T total = vmath::exp_shifted(z, largest, exponentials.data(), logits.cols);
    losses[row] = std::log(static_cast<double>(total)) + static_cast<double>(largest - z[target]);
  }
}

/// Returns Σ_t ℓ_t, summed in double, and writes its gradient times `weight`: d_logits_t = weight (softmax(z_t) -
/// onehot(target_t)), zero where the target is ignore_index. With weight = 1 / (number of targets in the
/// whole batch), this is the gradient of the mean. Throws as cross_entropy() does.
template <typename T>
double cross_entropy_backward(View<const T> logits, std::span<const Token> targets, T weight,
                              View<T> d_logits) {
  check_rows(logits.rows, targets.size(), static_cast<std::size_t>(d_logits.rows));
  double loss = 0.0;
  for (Index r = 0; r < logits.rows; ++r) {
    const Token target = targets[static_cast<std::size_t>(r)];
    check_target(target, r, logits.cols);
    const T* z = logits.row(r);
    T* dz = d_logits.row(r);
    if (target == ignore_index) {
      std::fill_n(dz, logits.cols, T(0));
      continue;
    }
    const T largest = vmath::max(z, logits.cols);
    const T total = vmath::exp_shifted(z, largest, dz, logits.cols);
    vmath::scale(weight / total, dz, logits.cols);
    dz[target] -= weight;
    loss += std::log(static_cast<double>(total)) + static_cast<double>(largest - z[target]);
  }
  return loss;
}

/// Number of targets that carry loss.
inline Index count_targets(std::span<const Token> targets) {
  return std::ranges::count_if(targets, [](Token target) { return target != ignore_index; });
}

}  // namespace ordinal

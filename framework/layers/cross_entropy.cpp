#include "framework/layers/cross_entropy.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "framework/core/errors.h"
#include "framework/math/vector_math.h"

namespace ordinal {
namespace {

void check_target(Token target, Index row, Index vocab_size) {
  if (target < ignore_index || target >= vocab_size) {
    throw DataError(fmt::format("target {} at position {}: expected 0 to {}, or {} to ignore it", target, row,
                                vocab_size - 1, ignore_index));
  }
}

void check_rows(Index rows, std::size_t targets, std::size_t outcomes) {
  if (std::cmp_equal(targets, rows) && std::cmp_equal(outcomes, rows)) return;
  throw std::invalid_argument(
      fmt::format("cross_entropy: got {} rows of logits, {} targets and {} results, expected as many of each",
                  rows, targets, outcomes));
}

}  // namespace

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

// ∂ℓ/∂z_v = exp(z_v)/Σ exp(z) - [v = target].
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

Index count_targets(std::span<const Token> targets) {
  return std::ranges::count_if(targets, [](Token target) { return target != ignore_index; });
}

template void cross_entropy<float>(View<const float>, std::span<const Token>, std::span<double>);
template void cross_entropy<double>(View<const double>, std::span<const Token>, std::span<double>);
template double cross_entropy_backward<float>(View<const float>, std::span<const Token>, float, View<float>);
template double cross_entropy_backward<double>(View<const double>, std::span<const Token>, double,
                                               View<double>);

}  // namespace ordinal

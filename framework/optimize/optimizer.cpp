#include "framework/optimize/optimizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "framework/core/errors.h"

namespace ordinal {

void check_layout(std::size_t expected, std::size_t values, std::size_t gradients) {
  if (values == expected && gradients == expected) return;
  throw std::logic_error(fmt::format(
      "Optimizer: got {} values and {} gradients, expected {} of each (build all layers of a layout "
      "before its optimizer)",
      values, gradients, expected));
}

#define ORDINAL_OPTIMIZER(name) OptimizerEntry name##_optimizer();
#include "framework/optimize/optimizers.inc"
#undef ORDINAL_OPTIMIZER

void visit_weight_decay(OptionVisitor& v, double& weight_decay) {
  v.number("weight_decay", weight_decay, at_least(0),
           "of the weights of products and the token embedding; biases, norms and "
           "positional parameters have none",
           Binds::training);
}

Registry<OptimizerEntry>& optimizers() {
  static Registry<OptimizerEntry> all("optimizer", {
#define ORDINAL_OPTIMIZER(name) name##_optimizer(),
#include "framework/optimize/optimizers.inc"
#undef ORDINAL_OPTIMIZER
                                                   });
  return all;
}

void check_optimizer(const PartList& optimizer, const ParameterLayout& layout) {
  const OptimizerEntry& entry = optimizers().find(optimizer.only().name);
  const auto is_hidden = [](const ParameterSpec& spec) { return !spec.use.matrices.empty(); };
  if (!entry.needs_matrices || std::ranges::any_of(layout.specs(), is_hidden)) return;
  throw ConfigError(
      fmt::format("{}: the model has no matrices between hidden layers, expected a block with some, such as "
                  "attention or feed_forward (or use adamw)",
                  entry.name));
}

// Uses sixteen partial sums, whatever the vector width.
template <typename T>
double sum_of_squares(const T* x, Index n) {
  constexpr Index parts = 16;
  std::array<double, parts> sums{};
  Index i = 0;
  for (; i + parts <= n; i += parts) {
#pragma omp simd
    for (Index part = 0; part < parts; ++part) {
      const auto value = static_cast<double>(x[i + part]);
      sums[static_cast<std::size_t>(part)] += value * value;
    }
  }
  for (Index part = 0; i < n; ++i, ++part) {
    const auto value = static_cast<double>(x[i]);
    sums[static_cast<std::size_t>(part)] += value * value;
  }
  return std::accumulate(sums.begin(), sums.end(), 0.0);
}

template <typename T>
double GlobalNorm<T>::of(const Parameters<T>& gradients, Threads& threads) {
  threads.run(std::ssize(ranges_), [&](Index task) {
    const ParameterRange& range = ranges_[static_cast<std::size_t>(task)];
    const T* g = gradients.flat().data() + range.first;
    squares_[static_cast<std::size_t>(task)] = sum_of_squares(g, range.count);
  });
  return std::sqrt(std::accumulate(squares_.begin(), squares_.end(), 0.0));
}

double clip_factor(double norm, double limit) {
  return limit > 0.0 ? std::min(1.0, limit / (norm + 1e-6)) : 1.0;
}

ORDINAL_INSTANTIATE(GlobalNorm);

}  // namespace ordinal

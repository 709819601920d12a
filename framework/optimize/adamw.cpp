#include "framework/optimize/adamw.h"

#include <cmath>

#include "framework/optimize/optimizer.h"

namespace ordinal {
namespace {

// (1 - β2) g² is 0 below 2^-126 in float, up to |g| = 1.1e-16 for the largest β2. A larger ε keeps the first step within the rate.
constexpr double least_epsilon = 2e-16;

template <typename T>
class AdamW final : public Optimizer<T> {
 public:
  AdamW(const AdamWOptions& options, const ParameterLayout& layout)
      : ranges_(parameter_ranges(layout)), adamw_(options, layout) {}

  void step(Parameters<T>& values, const Parameters<T>& gradients, double gradient_scale,
            double learning_rate, Index step, Threads& threads) override {
    check_layout(adamw_.mean(), values, gradients);
    threads.run(std::ssize(ranges_), [&](Index task) {
      adamw_.update(ranges_[static_cast<std::size_t>(task)], values.flat().data(), gradients.flat().data(),
                    gradient_scale, learning_rate, step);
    });
  }

  std::vector<typename Optimizer<T>::State> state() override {
    return {{"m", &adamw_.mean()}, {"v", &adamw_.square()}};
  }

 private:
  std::vector<ParameterRange> ranges_;
  AdamWState<T> adamw_;
};

}  // namespace

void AdamWOptions::visit(OptionVisitor& v) {
  v.number("beta1", beta1, below_one(), "decay of the mean gradient", Binds::training);
  v.number("beta2", beta2, below_one(), "decay of the mean square", Binds::training);
  v.number("epsilon", epsilon, at_least(least_epsilon),
           "added to the root mean square, which is rounded to 0 for gradients below 1e-16; at least 2e-16",
           Binds::training);
  visit_weight_decay(v, weight_decay);
}

template <typename T>
void AdamWState<T>::update(const ParameterRange& range, T* values, const T* gradients, double gradient_scale,
                           double learning_rate, Index step) {
  const auto t = static_cast<double>(step + 1);
  const T scale = static_cast<T>(gradient_scale);
  const T beta1 = static_cast<T>(options_.beta1);
  const T rest1 = static_cast<T>(1.0 - options_.beta1);
  const T beta2 = static_cast<T>(options_.beta2);
  const T rest2 = static_cast<T>(1.0 - options_.beta2);
  const T epsilon = static_cast<T>(options_.epsilon);
  const T step_size = static_cast<T>(learning_rate / (1.0 - std::pow(options_.beta1, t)));
  const T inverse_correction2 = static_cast<T>(1.0 / std::sqrt(1.0 - std::pow(options_.beta2, t)));
  const T decay = range.decay ? static_cast<T>(1.0 - learning_rate * options_.weight_decay) : T(1);
  T* mean = mean_.flat().data();
  T* square = square_.flat().data();
#pragma omp simd
  for (Index i = range.first; i < range.first + range.count; ++i) {
    const T g = scale * gradients[i];
    mean[i] = beta1 * mean[i] + rest1 * g;
    square[i] = beta2 * square[i] + rest2 * g * g;
    values[i] =
        decay * values[i] - step_size * mean[i] / (std::sqrt(square[i]) * inverse_correction2 + epsilon);
  }
}

ORDINAL_INSTANTIATE(AdamWState);

OptimizerEntry adamw_optimizer() {
  return describe_optimizer<AdamW, AdamWOptions>(
      {.name = "adamw", .summary = "Adam with decoupled weight decay; Loshchilov & Hutter 2019"});
}

}  // namespace ordinal

#include "framework/optimize/optimizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <stdexcept>

namespace ordinal {
namespace {

template <typename T>
void check_layout(const Parameters<T>& state, const Parameters<T>& values, const Parameters<T>& gradients) {
  const std::size_t expected = state.flat().size();
  if (values.flat().size() == expected && gradients.flat().size() == expected) return;
  throw std::logic_error(fmt::format(
      "Optimizer: got {} values and {} gradients, expected {} of each (build all layers of a layout "
      "before its optimizer)",
      values.flat().size(), gradients.flat().size(), expected));
}

constexpr double below_one = 0.999999;

// In float, (1 - β2) g² is 0 for |g| up to 2.6e-20. An ε above that keeps the first step within the learning rate.
constexpr double least_epsilon = 1e-18;

void visit_weight_decay(OptionVisitor& v, double& weight_decay) {
  v.number("weight_decay", weight_decay, at_least(0),
           "of the weights of products and the token embedding; biases, norms and "
           "positional parameters have none",
           Binds::training);
}

struct AdamWOptions {
  double beta1 = 0.9;
  double beta2 = 0.95;
  double epsilon = 1e-8;
  double weight_decay = 0.01;

  void visit(OptionVisitor& v) {
    v.number("beta1", beta1, between(0, below_one), "decay of the mean gradient", Binds::training);
    v.number("beta2", beta2, between(0, below_one), "decay of the mean square", Binds::training);
    v.number("epsilon", epsilon, at_least(least_epsilon),
             "added to the root mean square, which is rounded to 0 for gradients below 1e-19; at least 1e-18",
             Binds::training);
    visit_weight_decay(v, weight_decay);
  }
};

/// AdamW, Loshchilov & Hutter 2019, algorithm 2, in PyTorch's form, with t = step + 1:
///   θ ← θ - η λ θ
///   m ← β1 m + (1 - β1) g        v ← β2 v + (1 - β2) g²
///   θ ← θ - η m/(1 - β1ᵗ) / (√(v/(1 - β2ᵗ)) + ε)
template <typename T>
class AdamW final : public Optimizer<T> {
 public:
  AdamW(const AdamWOptions& options, const ParameterLayout& layout)
      : options_(options), ranges_(parameter_ranges(layout)), mean_(layout), square_(layout) {}

  void step(Parameters<T>& values, const Parameters<T>& gradients, double gradient_scale,
            double learning_rate, Index step, Threads& threads) override {
    check_layout(mean_, values, gradients);
    threads.run(std::ssize(ranges_), [&](Index task) {
      update(ranges_[static_cast<std::size_t>(task)], values.flat().data(), gradients.flat().data(),
             gradient_scale, learning_rate, step);
    });
  }

  std::vector<typename Optimizer<T>::State> state() override { return {{"m", &mean_}, {"v", &square_}}; }

 private:
  void update(const ParameterRange& range, T* values, const T* gradients, double gradient_scale,
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

  AdamWOptions options_;
  std::vector<ParameterRange> ranges_;
  Parameters<T> mean_;
  Parameters<T> square_;
};

struct SgdOptions {
  double momentum = 0.9;
  double weight_decay = 0.01;

  void visit(OptionVisitor& v) {
    v.number("momentum", momentum, between(0, below_one), "decay of the velocity", Binds::training);
    visit_weight_decay(v, weight_decay);
  }
};

/// SGD with momentum, in PyTorch's form:   u ← μ u + g + λ θ        θ ← θ - η u
template <typename T>
class Sgd final : public Optimizer<T> {
 public:
  Sgd(const SgdOptions& options, const ParameterLayout& layout)
      : options_(options), ranges_(parameter_ranges(layout)), velocity_(layout) {}

  void step(Parameters<T>& values, const Parameters<T>& gradients, double gradient_scale,
            double learning_rate, Index /*step*/, Threads& threads) override {
    check_layout(velocity_, values, gradients);
    threads.run(std::ssize(ranges_), [&](Index task) {
      const ParameterRange& range = ranges_[static_cast<std::size_t>(task)];
      const T scale = static_cast<T>(gradient_scale);
      const T momentum = static_cast<T>(options_.momentum);
      const T decay = range.decay ? static_cast<T>(options_.weight_decay) : T(0);
      const T rate = static_cast<T>(learning_rate);
      T* value = values.flat().data();
      const T* gradient = gradients.flat().data();
      T* velocity = velocity_.flat().data();
#pragma omp simd
      for (Index i = range.first; i < range.first + range.count; ++i) {
        velocity[i] = momentum * velocity[i] + scale * gradient[i] + decay * value[i];
        value[i] -= rate * velocity[i];
      }
    });
  }

  std::vector<typename Optimizer<T>::State> state() override { return {{"momentum", &velocity_}}; }

 private:
  SgdOptions options_;
  std::vector<ParameterRange> ranges_;
  Parameters<T> velocity_;
};

}  // namespace

Registry<OptimizerEntry>& optimizers() {
  static Registry<OptimizerEntry> all(
      "optimizer",
      {describe_optimizer<AdamW, AdamWOptions>(
           {.name = "adamw", .summary = "Adam with decoupled weight decay; Loshchilov & Hutter 2019"}),
       describe_optimizer<Sgd, SgdOptions>({.name = "sgd", .summary = "gradient descent with momentum"})});
  return all;
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

#include "framework/optimize/optimizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "framework/core/errors.h"

namespace ordinal {
namespace {

// The constants of one AdamW step, in the precision of the parameters.
template <typename T>
struct AdamWConstants {
  T gradient_scale, beta1, rest1, beta2, rest2, epsilon, step_size, inverse_correction2;
};

template <typename T>
void adamw_range(const AdamWConstants<T>& c, T decay, T* value, const T* gradient, T* mean, T* square,
                 Index n) {
#pragma omp simd
  for (Index i = 0; i < n; ++i) {
    const T g = c.gradient_scale * gradient[i];
    mean[i] = c.beta1 * mean[i] + c.rest1 * g;
    square[i] = c.beta2 * square[i] + c.rest2 * g * g;
    value[i] =
        decay * value[i] - c.step_size * mean[i] / (std::sqrt(square[i]) * c.inverse_correction2 + c.epsilon);
  }
}

template <typename T>
void sgd_range(T scale, T momentum, T decay, T rate, T* value, const T* gradient, T* velocity, Index n) {
#pragma omp simd
  for (Index i = 0; i < n; ++i) {
    velocity[i] = momentum * velocity[i] + scale * gradient[i] + decay * value[i];
    value[i] -= rate * velocity[i];
  }
}

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

template <template <typename> class Kind, typename Options>
OptimizerEntry describe(std::string name, std::string summary) {
  OptimizerEntry entry{std::move(name), std::move(summary), specs_of<Options>()};
  entry.build_float = [](const Part& part, const ParameterLayout& layout) {
    return std::unique_ptr<Optimizer<float>>(
        std::make_unique<Kind<float>>(read_options<Options>(part.name, part.options), layout));
  };
  entry.build_double = [](const Part& part, const ParameterLayout& layout) {
    return std::unique_ptr<Optimizer<double>>(
        std::make_unique<Kind<double>>(read_options<Options>(part.name, part.options), layout));
  };
  return entry;
}

std::unique_ptr<Optimizer<float>> build(const Part& part, const ParameterLayout& layout, float /*type*/) {
  return optimizers().find(part.name).build_float(part, layout);
}
std::unique_ptr<Optimizer<double>> build(const Part& part, const ParameterLayout& layout, double /*type*/) {
  return optimizers().find(part.name).build_double(part, layout);
}

}  // namespace

void AdamWOptions::visit(OptionVisitor& v) {
  v.number("beta1", beta1, between(0, below_one), "decay of the mean gradient", Binds::training);
  v.number("beta2", beta2, between(0, below_one), "decay of the mean square", Binds::training);
  v.number("epsilon", epsilon, at_least(0), "added to the root mean square", Binds::training);
  v.number("weight_decay", weight_decay, at_least(0),
           "of the weights of products and the token embedding; biases, norms and "
           "positional parameters have none",
           Binds::training);
}

void SgdOptions::visit(OptionVisitor& v) {
  v.number("momentum", momentum, between(0, below_one), "decay of the velocity", Binds::training);
  v.number("weight_decay", weight_decay, at_least(0),
           "of the weights of products and the token embedding; biases, norms and "
           "positional parameters have none",
           Binds::training);
}

const Registry<OptimizerEntry>& optimizers() {
  static const Registry<OptimizerEntry> all(
      "optimizer",
      {describe<AdamW, AdamWOptions>("adamw", "Adam with decoupled weight decay; Loshchilov & Hutter 2019"),
       describe<Sgd, SgdOptions>("sgd", "gradient descent with momentum")});
  return all;
}

template <typename T>
AdamW<T>::AdamW(const AdamWOptions& options, const ParameterLayout& layout)
    : options_(options), ranges_(parameter_ranges(layout)), mean_(layout), square_(layout) {}

template <typename T>
void AdamW<T>::step(Parameters<T>& values, const Parameters<T>& gradients, double gradient_scale,
                    double learning_rate, Index step, Threads& threads) {
  check_layout(mean_, values, gradients);
  const auto t = static_cast<double>(step + 1);
  const double correction1 = 1.0 - std::pow(options_.beta1, t);
  const double correction2 = 1.0 - std::pow(options_.beta2, t);
  const AdamWConstants<T> constants{.gradient_scale = static_cast<T>(gradient_scale),
                                    .beta1 = static_cast<T>(options_.beta1),
                                    .rest1 = static_cast<T>(1.0 - options_.beta1),
                                    .beta2 = static_cast<T>(options_.beta2),
                                    .rest2 = static_cast<T>(1.0 - options_.beta2),
                                    .epsilon = static_cast<T>(options_.epsilon),
                                    .step_size = static_cast<T>(learning_rate / correction1),
                                    .inverse_correction2 = static_cast<T>(1.0 / std::sqrt(correction2))};
  const T decay = static_cast<T>(1.0 - learning_rate * options_.weight_decay);
  threads.run(std::ssize(ranges_), [&](Index task) {
    const ParameterRange& range = ranges_[static_cast<std::size_t>(task)];
    adamw_range(constants, range.decay ? decay : T(1), values.flat().data() + range.first,
                gradients.flat().data() + range.first, mean_.flat().data() + range.first,
                square_.flat().data() + range.first, range.count);
  });
}

template <typename T>
Sgd<T>::Sgd(const SgdOptions& options, const ParameterLayout& layout)
    : options_(options), ranges_(parameter_ranges(layout)), velocity_(layout) {}

template <typename T>
void Sgd<T>::step(Parameters<T>& values, const Parameters<T>& gradients, double gradient_scale,
                  double learning_rate, Index /*step*/, Threads& threads) {
  check_layout(velocity_, values, gradients);
  threads.run(std::ssize(ranges_), [&](Index task) {
    const ParameterRange& range = ranges_[static_cast<std::size_t>(task)];
    sgd_range(static_cast<T>(gradient_scale), static_cast<T>(options_.momentum),
              range.decay ? static_cast<T>(options_.weight_decay) : T(0), static_cast<T>(learning_rate),
              values.flat().data() + range.first, gradients.flat().data() + range.first,
              velocity_.flat().data() + range.first, range.count);
  });
}

template <typename T>
std::unique_ptr<Optimizer<T>> make_optimizer(const std::string& text, const ParameterLayout& layout) {
  return build(parse_part(text), layout, T());
}

template <typename T>
double GlobalNorm<T>::of(const Parameters<T>& gradients, Threads& threads) {
  threads.run(std::ssize(ranges_), [&](Index task) {
    const ParameterRange& range = ranges_[static_cast<std::size_t>(task)];
    const T* g = gradients.flat().data() + range.first;
    double total = 0.0;
#pragma omp simd reduction(+ : total)
    for (Index i = 0; i < range.count; ++i) total += static_cast<double>(g[i]) * static_cast<double>(g[i]);
    squares_[static_cast<std::size_t>(task)] = total;
  });
  double total = 0.0;
  for (const double square : squares_) total += square;
  return std::sqrt(total);
}

double clip_factor(double norm, double limit) {
  return limit > 0.0 ? std::min(1.0, limit / (norm + 1e-6)) : 1.0;
}

ORDINAL_INSTANTIATE(AdamW);
ORDINAL_INSTANTIATE(Sgd);
template std::unique_ptr<Optimizer<float>> make_optimizer<float>(const std::string&, const ParameterLayout&);
template std::unique_ptr<Optimizer<double>> make_optimizer<double>(const std::string&,
                                                                   const ParameterLayout&);
ORDINAL_INSTANTIATE(GlobalNorm);

}  // namespace ordinal

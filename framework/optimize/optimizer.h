// Optimizers: each is one loop over the flat parameter block. To add one, write one file and one line in optimizers.inc; see sgd.cpp.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "framework/core/parameters.h"
#include "framework/core/part.h"
#include "framework/core/registry.h"
#include "framework/core/threads.h"

namespace ordinal {

template <typename T>
class Optimizer {
 public:
  Optimizer() = default;
  Optimizer(const Optimizer&) = delete;
  Optimizer& operator=(const Optimizer&) = delete;
  virtual ~Optimizer() = default;

  /// One step with the gradient g = gradient_scale · gradients. `step` counts from 0. Throws std::logic_error if
  /// the blocks have another layout, or if their layout has grown since the optimizer was made.
  virtual void step(Parameters<T>& values, const Parameters<T>& gradients, double gradient_scale,
                    double learning_rate, Index step, Threads& threads) = 0;

  /// The state saved in a checkpoint: flat blocks in the layout of the parameters, by name.
  struct State {
    std::string name;
    Parameters<T>* block = nullptr;
  };
  virtual std::vector<State> state() = 0;
};

template <typename T>
using OptimizerBuilder = std::unique_ptr<Optimizer<T>> (*)(const Part&, const ParameterLayout&);

/// One entry of the registry: describes an optimizer and builds it.
struct OptimizerEntry {
  std::string name;
  std::string summary;
  bool needs_matrices = false;  // whether it is for models with matrices between hidden layers
  std::vector<OptionSpec> options = {};
  ForBoth<OptimizerBuilder> build = {};
};

template <template <typename> class Kind, typename Options, typename T>
std::unique_ptr<Optimizer<T>> build_optimizer(const Part& part, const ParameterLayout& layout) {
  return std::make_unique<Kind<T>>(read_options<Options>(part.name, part.options), layout);
}

/// The entry with its options and builders, for a class template Kind<T> with a constructor
/// (const Options&, const ParameterLayout&).
template <template <typename> class Kind, typename Options = NoOptions>
OptimizerEntry describe_optimizer(OptimizerEntry entry) {
  entry.options = specs_of<Options>();
  entry.build = {build_optimizer<Kind, Options, float>, build_optimizer<Kind, Options, double>};
  return entry;
}

/// All optimizers, in the order of optimizers.inc.
Registry<OptimizerEntry>& optimizers();

/// Throws ConfigError for a text that names no optimizer, or one that is not for models with this layout.
void check_optimizer(const PartList& optimizer, const ParameterLayout& layout);

/// The optimizer for a text such as "adamw" or "adamw(beta2=0.99)". Throws ConfigError.
template <typename T>
std::unique_ptr<Optimizer<T>> make_optimizer(const PartList& optimizer, const ParameterLayout& layout) {
  const Part& part = optimizer.only();
  return std::get<OptimizerBuilder<T>>(optimizers().find(part.name).build)(part, layout);
}

/// What optimizers share: the range of a decay such as β1, the option weight_decay, and the check that step() makes.
constexpr Range below_one() { return between(0, 0.999999); }
void visit_weight_decay(OptionVisitor& v, double& weight_decay);
void check_layout(std::size_t expected, std::size_t values, std::size_t gradients);
template <typename T>
void check_layout(const Parameters<T>& state, const Parameters<T>& values, const Parameters<T>& gradients) {
  check_layout(state.flat().size(), values.flat().size(), gradients.flat().size());
}

/// Euclidean norm of all gradients together; the same bits for any number of threads. Reuses its working
/// memory across steps.
template <typename T>
class GlobalNorm {
 public:
  explicit GlobalNorm(const ParameterLayout& layout)
      : ranges_(parameter_ranges(layout)), squares_(ranges_.size()) {}
  double of(const Parameters<T>& gradients, Threads& threads);

 private:
  std::vector<ParameterRange> ranges_;
  std::vector<double> squares_;
};

/// The factor that clips a gradient of norm `norm` to at most `limit`: min(1, limit/(norm + 1e-6)), as
/// PyTorch's clip_grad_norm_ does; 1 for limit = 0. Pascanu et al. 2013.
double clip_factor(double norm, double limit);

}  // namespace ordinal

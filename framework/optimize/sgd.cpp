// sgd: gradient descent with momentum.
#include "framework/optimize/optimizer.h"

namespace ordinal {
namespace {

struct SgdOptions {
  double momentum = 0.9;
  double weight_decay = 0.01;

  void visit(OptionVisitor& v) {
    v.number("momentum", momentum, below_one(), "decay of the velocity", Binds::training);
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

OptimizerEntry sgd_optimizer() {
  return describe_optimizer<Sgd, SgdOptions>({.name = "sgd", .summary = "gradient descent with momentum"});
}

}  // namespace ordinal

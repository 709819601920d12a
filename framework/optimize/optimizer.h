// Optimizers: one loop over the flat parameter block each. Weight decay applies to matrices (weights,
// tables), not to biases and the weights of norms.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "framework/core/parameters.h"
#include "framework/core/ranges.h"
#include "framework/core/threads.h"

namespace ordinal {

struct OptimizerOptions {
  std::string name = "adamw";  // adamw or sgd
  double beta1 = 0.9;
  double beta2 = 0.95;
  double epsilon = 1e-8;
  double weight_decay = 0.01;
  double momentum = 0.9;  // sgd
};

template <typename T>
class Optimizer {
 public:
  Optimizer() = default;
  Optimizer(const Optimizer&) = delete;
  Optimizer& operator=(const Optimizer&) = delete;
  virtual ~Optimizer() = default;

  /// One step with the gradient g = gradient_scale · gradients. `step` counts from 0.
  virtual void step(Parameters<T>& values, const Parameters<T>& gradients, double gradient_scale,
                    double learning_rate, Index step, Threads& threads) = 0;

  /// What a checkpoint keeps: flat blocks in the layout of the parameters, by name.
  struct State {
    std::string name;
    Parameters<T>* block = nullptr;
  };
  virtual std::vector<State> state() = 0;
};

/// AdamW, Loshchilov & Hutter 2019, algorithm 2, in PyTorch's form, with t = step + 1:
///   θ ← θ - η λ θ
///   m ← β1 m + (1 - β1) g        v ← β2 v + (1 - β2) g²
///   θ ← θ - η m/(1 - β1ᵗ) / (√(v/(1 - β2ᵗ)) + ε)
template <typename T>
class AdamW final : public Optimizer<T> {
 public:
  AdamW(const OptimizerOptions& options, const ParameterLayout& layout);
  void step(Parameters<T>& values, const Parameters<T>& gradients, double gradient_scale,
            double learning_rate, Index step, Threads& threads) override;
  std::vector<typename Optimizer<T>::State> state() override { return {{"m", &mean_}, {"v", &square_}}; }

 private:
  OptimizerOptions options_;
  std::vector<ParameterRange> ranges_;
  Parameters<T> mean_;
  Parameters<T> square_;
};

/// SGD with momentum, in PyTorch's form:   u ← μ u + g + λ θ        θ ← θ - η u
template <typename T>
class Sgd final : public Optimizer<T> {
 public:
  Sgd(const OptimizerOptions& options, const ParameterLayout& layout);
  void step(Parameters<T>& values, const Parameters<T>& gradients, double gradient_scale,
            double learning_rate, Index step, Threads& threads) override;
  std::vector<typename Optimizer<T>::State> state() override { return {{"momentum", &velocity_}}; }

 private:
  OptimizerOptions options_;
  std::vector<ParameterRange> ranges_;
  Parameters<T> velocity_;
};

/// Throws ConfigError for an unknown name.
template <typename T>
std::unique_ptr<Optimizer<T>> make_optimizer(const OptimizerOptions& options, const ParameterLayout& layout);

/// Euclidean norm of all gradients together; the same bits for any number of threads. Keeps its working
/// memory from one step to the next.
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

extern template class AdamW<float>;
extern template class AdamW<double>;
extern template class Sgd<float>;
extern template class Sgd<double>;
extern template class GlobalNorm<float>;
extern template class GlobalNorm<double>;

}  // namespace ordinal

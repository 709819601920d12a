// Optimizers: each is one loop over the flat parameter block. Weight decay applies to the weights by which
// layers multiply their inputs and to the token embedding, not to biases, gains of norms or parameters of
// encodings.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "framework/core/parameters.h"
#include "framework/core/part.h"
#include "framework/core/ranges.h"
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

  /// One step with the gradient g = gradient_scale · gradients. `step` counts from 0. Throws std::logic_error for
  /// blocks of another layout, or of one that has grown since the optimizer was made.
  virtual void step(Parameters<T>& values, const Parameters<T>& gradients, double gradient_scale,
                    double learning_rate, Index step, Threads& threads) = 0;

  /// The state saved in a checkpoint: flat blocks in the layout of the parameters, by name.
  struct State {
    std::string name;
    Parameters<T>* block = nullptr;
  };
  virtual std::vector<State> state() = 0;
};

struct AdamWOptions {
  double beta1 = 0.9;
  double beta2 = 0.95;
  double epsilon = 1e-8;
  double weight_decay = 0.01;

  void visit(OptionVisitor& v);
};

/// AdamW, Loshchilov & Hutter 2019, algorithm 2, in PyTorch's form, with t = step + 1:
///   θ ← θ - η λ θ
///   m ← β1 m + (1 - β1) g        v ← β2 v + (1 - β2) g²
///   θ ← θ - η m/(1 - β1ᵗ) / (√(v/(1 - β2ᵗ)) + ε)
template <typename T>
class AdamW final : public Optimizer<T> {
 public:
  AdamW(const AdamWOptions& options, const ParameterLayout& layout);
  void step(Parameters<T>& values, const Parameters<T>& gradients, double gradient_scale,
            double learning_rate, Index step, Threads& threads) override;
  std::vector<typename Optimizer<T>::State> state() override { return {{"m", &mean_}, {"v", &square_}}; }

 private:
  AdamWOptions options_;
  std::vector<ParameterRange> ranges_;
  Parameters<T> mean_;
  Parameters<T> square_;
};

struct SgdOptions {
  double momentum = 0.9;
  double weight_decay = 0.01;

  void visit(OptionVisitor& v);
};

/// SGD with momentum, in PyTorch's form:   u ← μ u + g + λ θ        θ ← θ - η u
template <typename T>
class Sgd final : public Optimizer<T> {
 public:
  Sgd(const SgdOptions& options, const ParameterLayout& layout);
  void step(Parameters<T>& values, const Parameters<T>& gradients, double gradient_scale,
            double learning_rate, Index step, Threads& threads) override;
  std::vector<typename Optimizer<T>::State> state() override { return {{"momentum", &velocity_}}; }

 private:
  SgdOptions options_;
  std::vector<ParameterRange> ranges_;
  Parameters<T> velocity_;
};

/// One entry of the registry: describes an optimizer and builds it.
struct OptimizerEntry {
  std::string name;
  std::string summary;
  std::vector<OptionSpec> options = {};
  std::unique_ptr<Optimizer<float>> (*build_float)(const Part&, const ParameterLayout&) = nullptr;
  std::unique_ptr<Optimizer<double>> (*build_double)(const Part&, const ParameterLayout&) = nullptr;
};

const Registry<OptimizerEntry>& optimizers();

/// The optimizer that "adamw" or "adamw(beta2=0.99)" names. Throws ConfigError.
template <typename T>
std::unique_ptr<Optimizer<T>> make_optimizer(const std::string& text, const ParameterLayout& layout);

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

extern template class AdamW<float>;
extern template class AdamW<double>;
extern template class Sgd<float>;
extern template class Sgd<double>;
extern template class GlobalNorm<float>;
extern template class GlobalNorm<double>;

}  // namespace ordinal

// The two normalisations of transformers: LayerNorm and RMSNorm, each over the features of one token.
#pragma once

#include "framework/core/options.h"
#include "framework/layers/layer.h"

namespace ordinal {

struct NormOptions {
  double epsilon = 1e-5;
  void visit(OptionVisitor& v) {
    v.number("epsilon", epsilon, at_least(0), "ε, added to the variance or the mean square", Binds::training);
  }
};

/// Of each row x, with scale γ, which starts at one, and bias β, which starts at zero:
///   centred      LayerNorm: y = γ ⊙ (x - mean(x)) / √(var(x) + ε) + β, var the biased variance; Ba, Kiros & Hinton 2016
///   not centred  RMSNorm:   y = γ ⊙ x / √(mean(x²) + ε); Zhang & Sennrich 2019
template <typename T, bool centred>
class Norm final : public Layer<T> {
 public:
  Norm(Index width, const NormOptions& options, const Scope& scope);

  Index input_width() const override { return gain_.cols; }
  Index output_width() const override { return gain_.cols; }
  Cost cost(Index /*seq_len*/) const override { return {0.0, static_cast<double>(gain_.cols)}; }
  View<const T> forward(View<const T> x, Pass<T>& pass) const override;
  View<const T> backward(View<const T> dy, Pass<T>& pass) const override;

 private:
  static constexpr const char* name = centred ? "LayerNorm" : "RmsNorm";

  Slot gain_;
  Slot bias_;  // if centred
  T epsilon_;
};

template <typename T>
using LayerNorm = Norm<T, true>;
template <typename T>
using RmsNorm = Norm<T, false>;

extern template class Norm<float, true>;
extern template class Norm<double, true>;
extern template class Norm<float, false>;
extern template class Norm<double, false>;

}  // namespace ordinal

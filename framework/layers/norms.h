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

/// y = γ ⊙ (x - mean(x)) / √(var(x) + ε) + β over each row, var the biased variance; γ starts at one, β at
/// zero. Ba, Kiros & Hinton 2016.
template <typename T>
class LayerNorm final : public Layer<T> {
 public:
  LayerNorm(Index width, const NormOptions& options, const Scope& scope);

  Index input_width() const override { return gain_.cols; }
  Index output_width() const override { return gain_.cols; }
  Cost cost(Index /*seq_len*/) const override { return {0.0, static_cast<double>(gain_.cols)}; }
  View<const T> forward(View<const T> x, Pass<T>& pass) const override;
  View<const T> backward(View<const T> dy, Pass<T>& pass) const override;

 private:
  Slot gain_;
  Slot bias_;
  T epsilon_;
};

/// y = γ ⊙ x / √(mean(x²) + ε) over each row; γ starts at one. Zhang & Sennrich 2019.
template <typename T>
class RmsNorm final : public Layer<T> {
 public:
  RmsNorm(Index width, const NormOptions& options, const Scope& scope);

  Index input_width() const override { return gain_.cols; }
  Index output_width() const override { return gain_.cols; }
  Cost cost(Index /*seq_len*/) const override { return {0.0, static_cast<double>(gain_.cols)}; }
  View<const T> forward(View<const T> x, Pass<T>& pass) const override;
  View<const T> backward(View<const T> dy, Pass<T>& pass) const override;

 private:
  Slot gain_;
  T epsilon_;
};

extern template class LayerNorm<float>;
extern template class LayerNorm<double>;
extern template class RmsNorm<float>;
extern template class RmsNorm<double>;

}  // namespace ordinal

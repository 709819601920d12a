// Dropout: the same mask for the same (seed, step, example), regardless of how the batch is split into
// shards.
#pragma once

#include <cstdint>

#include "framework/layers/layer.h"

namespace ordinal {

/// y = x ⊙ m / (1 - p) in training, m ~ Bernoulli(1 - p) for each element; y = x otherwise. Srivastava et al.
/// 2014.
template <typename T>
class Dropout final : public Layer<T> {
 public:
  /// Throws std::invalid_argument unless 0 <= p < 1. `scope` names the stream of random numbers.
  Dropout(double probability, Index width, const Scope& scope);

  Index input_width() const override { return width_; }
  Index output_width() const override { return width_; }
  Cost cost(Index /*seq_len*/) const override {
    const auto width = static_cast<double>(probability_ > 0.0 ? width_ : 0);
    return {0.0, 2.0 * width, width};
  }
  View<const T> forward(View<const T> x, Pass<T>& pass) const override;
  View<const T> backward(View<const T> dy, Pass<T>& pass) const override;

 private:
  bool acts(const Pass<T>& pass) const { return probability_ > 0.0 && pass.run().training; }
  void draw_mask(View<T> mask, Pass<T>& pass) const;

  double probability_;
  Index width_;
  std::uint32_t purpose_;
};

}  // namespace ordinal

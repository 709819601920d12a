// Dropout: the same mask for the same (seed, step, example), regardless of how the batch is split into
// shards.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <stdexcept>

#include "framework/layers/layer.h"
#include "framework/math/vector_math.h"

namespace ordinal {

/// y = x ⊙ m / (1 - p) in training, m ~ Bernoulli(1 - p) for each element; y = x otherwise. Srivastava et al.
/// 2014.
template <typename T>
class Dropout final : public Layer<T> {
 public:
  /// Throws std::invalid_argument unless 0 <= p < 1. `scope` names the stream of random numbers.
  Dropout(double probability, Index width, const Scope& scope)
      : probability_(probability), width_(width), purpose_(hash_name(scope.dotted("dropout"))) {
    if (probability >= 0.0 && probability < 1.0) return;
    throw std::invalid_argument(fmt::format("Dropout: got probability {}, expected 0 <= p < 1", probability));
  }

  Index input_width() const override { return width_; }
  View<const T> forward(View<const T> x, Pass<T>& pass) const override {
    this->check_width("Dropout", x);
    if (!acts(pass)) return x;
    const View<T> mask = pass.allocate(x.rows, x.cols);
    draw_mask(mask, pass);
    pass.save("Dropout", mask);
    return times(x, mask, pass);
  }
  // The map is linear and diagonal: dx = dy ⊙ m / (1 - p).
  View<const T> backward(View<const T> dy, Pass<T>& pass) const override {
    return acts(pass) ? times(dy, pass.restore("Dropout"), pass) : dy;
  }

 private:
  bool acts(const Pass<T>& pass) const { return probability_ > 0.0 && pass.run().training; }

  // 1/(1 - p) where an element is kept, else 0.
  void draw_mask(View<T> mask, Pass<T>& pass) const {
    const T kept = static_cast<T>(1.0 / (1.0 - probability_));
    const auto threshold = static_cast<std::uint32_t>(probability_ * 0x1p32);
    for (Index sequence = 0; sequence < pass.batch(); ++sequence) {
      Random random = pass.random(purpose_, sequence);
      T* values = mask.row(sequence * pass.seq_len());
      for (Index i = 0; i < pass.seq_len() * mask.cols; ++i)
        values[i] = random.bits() >= threshold ? kept : T(0);
    }
  }

  static View<const T> times(View<const T> x, View<const T> mask, Pass<T>& pass) {
    const View<T> y = pass.allocate(x.rows, x.cols);
    for (Index r = 0; r < x.rows; ++r) vmath::multiply(x.row(r), mask.row(r), y.row(r), x.cols);
    return y;
  }

  double probability_;
  Index width_;
  std::uint32_t purpose_;
};

}  // namespace ordinal

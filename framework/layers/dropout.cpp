#include "framework/layers/dropout.h"

#include <fmt/format.h>

#include <stdexcept>

#include "framework/math/vector_math.h"

namespace ordinal {

template <typename T>
Dropout<T>::Dropout(double probability, Index width, const Scope& scope)
    : probability_(probability), width_(width), purpose_(hash_name(scope.dotted("dropout"))) {
  if (!(probability >= 0.0 && probability < 1.0)) {
    throw std::invalid_argument(fmt::format("Dropout: got probability {}, expected 0 <= p < 1", probability));
  }
}

// 1/(1 - p) where an element is kept, else 0.
template <typename T>
void Dropout<T>::draw_mask(View<T> mask, Pass<T>& pass) const {
  const T kept = static_cast<T>(1.0 / (1.0 - probability_));
  const auto threshold = static_cast<std::uint32_t>(probability_ * 0x1p32);
  for (Index sequence = 0; sequence < pass.batch(); ++sequence) {
    Random random = pass.random(purpose_, sequence);
    T* values = mask.row(sequence * pass.seq_len());
    for (Index i = 0; i < pass.seq_len() * mask.cols; ++i)
      values[i] = random.bits() >= threshold ? kept : T(0);
  }
}

template <typename T>
View<const T> Dropout<T>::forward(View<const T> x, Pass<T>& pass) const {
  this->check_width("Dropout", x);
  if (!acts(pass)) return x;
  const View<T> mask = pass.allocate(x.rows, x.cols);
  const View<T> y = pass.allocate(x.rows, x.cols);
  draw_mask(mask, pass);
  for (Index r = 0; r < x.rows; ++r) vmath::multiply(x.row(r), mask.row(r), y.row(r), x.cols);
  pass.save("Dropout", mask);
  return y;
}

// The map is linear and diagonal: dx = dy ⊙ m / (1 - p).
template <typename T>
View<const T> Dropout<T>::backward(View<const T> dy, Pass<T>& pass) const {
  if (!acts(pass)) return dy;
  const View<const T> mask = pass.restore("Dropout");
  const View<T> dx = pass.allocate(dy.rows, dy.cols);
  for (Index r = 0; r < dy.rows; ++r) vmath::multiply(dy.row(r), mask.row(r), dx.row(r), dy.cols);
  return dx;
}

ORDINAL_INSTANTIATE(Dropout);

}  // namespace ordinal

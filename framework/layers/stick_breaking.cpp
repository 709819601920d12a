#include "framework/layers/stick_breaking.h"

#include <algorithm>
#include <cmath>

namespace ordinal {
namespace {

// ln(1 + e^z).
double softplus(double z) { return std::max(z, 0.0) + std::log1p(std::exp(-std::abs(z))); }

// Writes w to `row` and, where it is wanted, β to `shares`. The sum of logarithms is kept in double: over thousands
// of keys a float would lose the last digits of each.
template <typename T>
void break_stick(T* row, T* shares, Index n) {
  double taken = 0.0;  // -ln of what is left
  for (Index j = n - 2; j >= 0; --j) {
    const auto z = static_cast<double>(row[j]);
    const double rest = softplus(z);
    row[j] = static_cast<T>(std::exp(z - rest - taken));
    if (shares != nullptr) shares[j] = static_cast<T>(std::exp(z - rest));
    taken += rest;
  }
  row[n - 1] = static_cast<T>(std::exp(-taken));
}

}  // namespace

template <typename T>
void stick_breaking(T* row, Index n) {
  break_stick<T>(row, nullptr, n);
}

// With g_j = w_j dw_j = ∂ℓ/∂ln w_j: ln w_m contains ln β_m, and ln(1 - β_j) for all m < j and for m = i, so
//   dz_j = (1 - β_j) g_j - β_j (g_i + Σ_{m < j} g_m).
template <typename T>
void stick_breaking_backward(T* row, T* d, T* scratch, Index n) {
  break_stick(row, scratch, n);
  double further = static_cast<double>(row[n - 1]) * static_cast<double>(d[n - 1]);
  for (Index j = 0; j < n - 1; ++j) {
    const double g = static_cast<double>(row[j]) * static_cast<double>(d[j]);
    d[j] = static_cast<T>(g - static_cast<double>(scratch[j]) * (g + further));
    further += g;
  }
  d[n - 1] = T(0);
}

template void stick_breaking(float*, Index);
template void stick_breaking(double*, Index);
template void stick_breaking_backward(float*, float*, float*, Index);
template void stick_breaking_backward(double*, double*, double*, Index);

}  // namespace ordinal

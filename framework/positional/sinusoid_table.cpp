#include "framework/positional/sinusoid_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <utility>

#include "framework/math/half.h"

namespace ordinal {

std::vector<double> sinusoidal_frequencies(Index d_model, double base) {
  if (d_model < 1 || d_model % 2 != 0) {
    throw std::invalid_argument(fmt::format(
        "sinusoidal_positional_encoding: got d_model {}, expected an even number above 0", d_model));
  }
  if (!(base > 1.0) || std::isinf(base)) {
    throw std::invalid_argument(
        fmt::format("sinusoidal_positional_encoding: got base {}, expected a finite one above 1", base));
  }
  std::vector<double> frequencies;
  for (Index i = 0; i < d_model / 2; ++i) {
    const double exponent = 2.0 * static_cast<double>(i) / static_cast<double>(d_model);
    frequencies.push_back(std::exp(-exponent * std::log(base)));
  }
  return frequencies;
}

std::vector<Sinusoid> sines_then_cosines(const std::vector<double>& frequencies) {
  std::vector<Sinusoid> columns;
  for (const bool cosine : {false, true}) {
    for (const double frequency : frequencies) columns.push_back({frequency, cosine});
  }
  return columns;
}

void SinusoidOptions::visit(OptionVisitor& v) {
  v.number("base", base, {.low = 1, .above_low = true, .automatic = "auto"},
           "longest wavelength is 2π · base; auto: 10 · training length / 2π", Binds::training);
  v.choice("precision", precision, {"float", "half", "bfloat16"},
           "half and bfloat16 round sines and cosines to 16 bits, float leaves them as computed",
           Binds::training);
}

void SinusoidOptions::resolve(const ModelShape& shape) {
  const auto length = static_cast<double>(shape.train_length);
  if (base == 0.0) base = std::max(10.0 * length / (2.0 * std::numbers::pi), 2.0);
}

namespace {

// How a table rounds: not, or to the nearest IEEE binary16 or upper half of a float, to even.
double (*rounding_of(const std::string& precision))(double) {
  if (precision == "half") return [](double x) { return static_cast<double>(from_half(to_half(x))); };
  if (precision == "bfloat16")
    return [](double x) { return static_cast<double>(from_bfloat16(to_bfloat16(x))); };
  return [](double x) { return x; };
}

}  // namespace

template <typename T>
SinusoidTable<T>::SinusoidTable(std::vector<Sinusoid> columns, Index kept, const std::string& precision)
    : columns_(std::move(columns)), rounded_(rounding_of(precision)), stored_({kept, cols()}) {
  for (Index pos = 0; pos < kept; ++pos) compute(static_cast<double>(pos), stored_.view().row(pos));
}

template <typename T>
void SinusoidTable<T>::compute(double position, T* row) const {
  for (const auto& [frequency, cosine] : columns_) {
    const double angle = position * frequency;
    *row++ = static_cast<T>(rounded_(cosine ? std::cos(angle) : std::sin(angle)));
  }
}

template <typename T>
void SinusoidTable<T>::write(double position, T* row) const {
  const auto kept = static_cast<double>(stored_.shape().front());
  if (!(position >= 0.0 && position < kept && position == std::floor(position)))
    return compute(position, row);
  std::copy_n(stored_.view().row(static_cast<Index>(position)), cols(), row);
}

template <typename T>
View<const T> SinusoidTable<T>::rows(std::span<const double> positions, Pass<T>& pass) const {
  const double first = positions.front();
  const auto kept = static_cast<double>(stored_.shape().front());
  bool stored = first >= 0.0 && first == std::floor(first);
  for (std::size_t t = 0; stored && t < positions.size(); ++t)
    stored = positions[t] == first + static_cast<double>(t) && positions[t] < kept;
  if (stored) return stored_.view().row_range(static_cast<Index>(first), std::ssize(positions));
  const View<T> rows = pass.allocate(std::ssize(positions), cols());
  for (Index t = 0; t < rows.rows; ++t) write(positions[static_cast<std::size_t>(t)], rows.row(t));
  return rows;
}

template <typename T>
View<const T> SinusoidTable<T>::rows(const Positions& positions, Pass<T>& pass) const {
  if (positions.is_shared()) return rows(positions.of(0), pass);
  std::vector<double> all;
  for (Index sequence = 0; sequence < positions.batch(); ++sequence) {
    const std::span<const double> own = positions.of(sequence);
    all.insert(all.end(), own.begin(), own.end());
  }
  return rows(all, pass);
}

ORDINAL_INSTANTIATE(SinusoidTable);

}  // namespace ordinal

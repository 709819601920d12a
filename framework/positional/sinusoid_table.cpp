#include "framework/positional/sinusoid_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <utility>

#include "framework/core/errors.h"
#include "framework/math/half.h"

namespace ordinal {
namespace {

bool is_whole(double position) { return position == std::floor(position); }

double rounded(double value, TablePrecision precision) {
  if (precision == TablePrecision::half) return static_cast<double>(from_half(to_half(value)));
  if (precision == TablePrecision::bfloat16) return static_cast<double>(from_bfloat16(to_bfloat16(value)));
  return value;
}

Index columns_of(SinusoidLayout layout, Index frequencies) {
  return layout == SinusoidLayout::sines || layout == SinusoidLayout::cosines ? frequencies : 2 * frequencies;
}

}  // namespace

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

double choose_base(double typical_length) { return 10.0 * typical_length / (2.0 * std::numbers::pi); }

void SinusoidOptions::visit(OptionVisitor& v) {
  v.number_or_auto("base", base, above(1), "longest wavelength is 2π · base; auto: 10 · training length / 2π",
                   Binds::training);
  v.choice("precision", precision, {"float", "half", "bfloat16"},
           "half and bfloat16 round sines and cosines to 16 bits, float leaves them as computed",
           Binds::training);
}

void SinusoidOptions::resolve(const ModelShape& shape) {
  if (base == 0.0) base = std::max(choose_base(static_cast<double>(shape.train_length)), 2.0);
}

TablePrecision table_precision(const std::string& name) {
  if (name == "float") return TablePrecision::full;
  if (name == "half") return TablePrecision::half;
  if (name == "bfloat16") return TablePrecision::bfloat16;
  throw ConfigError(fmt::format("precision: got '{}', expected float, half or bfloat16", name));
}

template <typename T>
SinusoidTable<T>::SinusoidTable(std::vector<double> frequencies, Index kept, SinusoidLayout layout,
                                TablePrecision precision)
    : frequencies_(std::move(frequencies)),
      layout_(layout),
      precision_(precision),
      stored_({kept, columns_of(layout, std::ssize(frequencies_))}) {
  for (Index pos = 0; pos < kept; ++pos) compute(static_cast<double>(pos), stored_.view().row(pos));
}

template <typename T>
void SinusoidTable<T>::compute(double position, T* row) const {
  const Index n = std::ssize(frequencies_);
  const bool interleaved = layout_ == SinusoidLayout::interleaved;
  const Index step = interleaved ? 2 : 1;
  const Index first_cosine = interleaved ? 1 : layout_ == SinusoidLayout::split ? n : 0;
  for (Index i = 0; i < n; ++i) {
    const double angle = position * frequencies_[static_cast<std::size_t>(i)];
    const T sine = static_cast<T>(rounded(std::sin(angle), precision_));
    const T cosine = static_cast<T>(rounded(std::cos(angle), precision_));
    if (layout_ != SinusoidLayout::cosines) row[step * i] = sine;
    if (layout_ != SinusoidLayout::sines) row[first_cosine + step * i] = cosine;
  }
}

template <typename T>
void SinusoidTable<T>::write(double position, T* row) const {
  const auto kept = static_cast<double>(stored_.shape().front());
  if (!(position >= 0.0 && position < kept && is_whole(position))) return compute(position, row);
  std::copy_n(stored_.view().row(static_cast<Index>(position)), cols(), row);
}

template <typename T>
View<const T> SinusoidTable<T>::rows(std::span<const double> positions, Pass<T>& pass) const {
  const double first = positions.front();
  const auto kept = static_cast<double>(stored_.shape().front());
  bool stored = first >= 0.0 && is_whole(first);
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
  const View<T> rows = pass.allocate(positions.batch() * positions.seq_len(), cols());
  for (Index r = 0; r < rows.rows; ++r) {
    const Index sequence = r / positions.seq_len();
    write(positions.of(sequence)[static_cast<std::size_t>(r - sequence * positions.seq_len())], rows.row(r));
  }
  return rows;
}

ORDINAL_INSTANTIATE(SinusoidTable);

}  // namespace ordinal

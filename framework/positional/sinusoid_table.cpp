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

std::uint16_t shorten(double value, TablePrecision precision) {
  return precision == TablePrecision::half ? to_half(value) : to_bfloat16(value);
}

float lengthen(std::uint16_t bits, TablePrecision precision) {
  return precision == TablePrecision::half ? from_half(bits) : from_bfloat16(bits);
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
           "how tables of sines and cosines are stored: half and bfloat16 round them, float leaves them as "
           "computed",
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
    : frequencies_(std::move(frequencies)), kept_(kept), layout_(layout), precision_(precision) {
  const bool is_full = precision == TablePrecision::full;
  if (is_full) full_ = Tensor<T>({kept, cols()});
  if (!is_full) short_.resize(static_cast<std::size_t>(kept * cols()));
  std::vector<T> row(static_cast<std::size_t>(cols()));
  for (Index pos = 0; pos < kept; ++pos) {
    compute(static_cast<double>(pos), row.data());
    if (is_full) std::ranges::copy(row, full_.view().row(pos));
    if (is_full) continue;
    std::ranges::transform(row, short_.begin() + pos * cols(),
                           [&](T value) { return shorten(static_cast<double>(value), precision_); });
  }
}

template <typename T>
double SinusoidTable<T>::rounded(double value) const {
  if (precision_ == TablePrecision::full) return value;
  return static_cast<double>(lengthen(shorten(value, precision_), precision_));
}

template <typename T>
void SinusoidTable<T>::compute(double position, T* row) const {
  const Index n = std::ssize(frequencies_);
  const Index step = layout_ == SinusoidLayout::interleaved ? 2 : 1;
  const Index apart = layout_ == SinusoidLayout::split ? n : step - 1;  // from a pair's sine to its cosine
  for (Index i = 0; i < n; ++i) {
    const double angle = position * frequencies_[static_cast<std::size_t>(i)];
    if (layout_ != SinusoidLayout::cosines) row[i * step] = static_cast<T>(rounded(std::sin(angle)));
    if (layout_ != SinusoidLayout::sines) row[i * step + apart] = static_cast<T>(rounded(std::cos(angle)));
  }
}

template <typename T>
void SinusoidTable<T>::write(double position, T* row) const {
  if (!(position >= 0.0 && position < static_cast<double>(kept_) && is_whole(position))) {
    compute(position, row);
    return;
  }
  const auto pos = static_cast<Index>(position);
  if (precision_ == TablePrecision::full) {
    std::copy_n(full_.view().row(pos), cols(), row);
    return;
  }
  const std::uint16_t* stored = short_.data() + pos * cols();
  for (Index c = 0; c < cols(); ++c) row[c] = static_cast<T>(lengthen(stored[c], precision_));
}

template <typename T>
View<const T> SinusoidTable<T>::rows(std::span<const double> positions, Pass<T>& pass) const {
  const double first = positions.front();
  bool stored = precision_ == TablePrecision::full && first >= 0.0 && is_whole(first);
  for (std::size_t t = 0; stored && t < positions.size(); ++t) {
    stored = positions[t] == first + static_cast<double>(t) && positions[t] < static_cast<double>(kept_);
  }
  if (stored) return full_.view().row_range(static_cast<Index>(first), std::ssize(positions));
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

template <typename T>
Index SinusoidTable<T>::memory_bytes() const {
  return full_.size() * static_cast<Index>(sizeof(T)) + std::ssize(short_) * 2;
}

ORDINAL_INSTANTIATE(SinusoidTable);

}  // namespace ordinal

#include "framework/positional/sinusoidal.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "framework/core/errors.h"
#include "framework/core/vector_math.h"

namespace ordinal {
namespace {

std::vector<double> whole_positions(Index count, double offset = 0.0) {
  std::vector<double> positions(static_cast<std::size_t>(count));
  std::iota(positions.begin(), positions.end(), offset);
  return positions;
}

// The frequencies of a config, which may ask for an odd width to be padded.
std::vector<double> frequencies_of(const EncodingConfig& config) {
  const bool odd = config.d_model % 2 != 0;
  if (odd && !config.pad_odd) {
    throw ConfigError(fmt::format(
        "sinusoidal: d_model {} is odd, expected an even one (or set positional.pad_odd)", config.d_model));
  }
  return sinusoidal_frequencies(odd ? config.d_model + 1 : config.d_model, config.base);
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

Tensor<double> sinusoidal_positional_encoding(std::span<const double> positions, Index d_model, double base) {
  const std::vector<double> frequencies = sinusoidal_frequencies(d_model, base);
  Tensor<double> encoding({std::ssize(positions), d_model});
  double* out = encoding.data();
  for (const double position : positions) {
    for (const double frequency : frequencies) {
      *out++ = std::sin(position * frequency);
      *out++ = std::cos(position * frequency);
    }
  }
  return encoding;
}

Tensor<double> sinusoidal_positional_encoding(Index seq_len, Index d_model, double base) {
  if (seq_len < 1) {
    throw std::invalid_argument(
        fmt::format("sinusoidal_positional_encoding: got seq_len {}, expected at least 1", seq_len));
  }
  return sinusoidal_positional_encoding(whole_positions(seq_len), d_model, base);
}

double choose_base(double typical_length) { return 10.0 * typical_length / (2.0 * std::numbers::pi); }

template <typename T>
SinusoidalPositionalEncoding<T>::SinusoidalPositionalEncoding(std::vector<double> frequencies,
                                                              Index max_seq_len, Index d_model)
    : frequencies_(std::move(frequencies)), table_({max_seq_len, d_model}) {
  for (Index pos = 0; pos < max_seq_len; ++pos) encode_row(static_cast<double>(pos), table_.view().row(pos));
}

template <typename T>
SinusoidalPositionalEncoding<T>::SinusoidalPositionalEncoding(const EncodingConfig& config,
                                                              const Scope& /*scope*/)
    : SinusoidalPositionalEncoding(frequencies_of(config), config.max_seq_len, config.d_model) {}

template <typename T>
SinusoidalPositionalEncoding<T>::SinusoidalPositionalEncoding(Index max_seq_len, Index d_model, double base)
    : SinusoidalPositionalEncoding(sinusoidal_frequencies(d_model, base), max_seq_len, d_model) {}

// Angles in double, rounded once at the end: in float, pos·ω near 65,536 would be off by 4e-3.
template <typename T>
void SinusoidalPositionalEncoding<T>::encode_row(double position, T* row) const {
  const Index d_model = table_.shape().back();
  for (Index c = 0; c < d_model; ++c) {
    const double angle = position * frequencies_[static_cast<std::size_t>(c / 2)];
    row[c] = static_cast<T>(c % 2 == 0 ? std::sin(angle) : std::cos(angle));
  }
}

template <typename T>
void SinusoidalPositionalEncoding<T>::write_row(double position, T* row) const {
  const bool in_table = position >= 0.0 && position < static_cast<double>(table_.shape().front());
  if (in_table && position == std::floor(position)) {
    std::copy_n(table_.view().row(static_cast<Index>(position)), table_.shape().back(), row);
  } else {
    encode_row(position, row);
  }
}

template <typename T>
View<const T> SinusoidalPositionalEncoding<T>::encode_input(View<const T> x, Pass<T>& pass) const {
  const Positions& positions = pass.run().positions;
  const View<T> y = pass.allocate(x.rows, x.cols);
  const View<T> encoding = pass.allocate(positions.seq_len(), x.cols);
  for (Index sequence = 0; sequence < positions.batch(); ++sequence) {
    const std::span<const double> places = positions.of(sequence);
    const Index first = sequence * positions.seq_len();
    for (Index t = 0; t < positions.seq_len(); ++t) {
      if (sequence == 0 || !positions.is_shared())
        write_row(places[static_cast<std::size_t>(t)], encoding.row(t));
      vmath::add(x.row(first + t), encoding.row(t), y.row(first + t), x.cols);
    }
  }
  return y;
}

template <typename T>
Tensor<T> SinusoidalPositionalEncoding<T>::get_encoding(Index seq_len) const {
  Tensor<T> encoding({seq_len, table_.shape().back()});
  for (Index pos = 0; pos < seq_len; ++pos) write_row(static_cast<double>(pos), encoding.view().row(pos));
  return encoding;
}

template <typename T>
Tensor<T> SinusoidalPositionalEncoding<T>::forward(const Tensor<T>& x, double offset) const {
  const Index d_model = table_.shape().back();
  if (x.shape().size() != 3 || x.shape().back() != d_model) {
    throw std::invalid_argument(
        fmt::format("SinusoidalPositionalEncoding: got input of shape {}, expected (batch, seq_len, {})",
                    to_string(x.shape()), d_model));
  }
  const ParameterLayout no_parameters;
  const Parameters<T> none(no_parameters);
  Pass<T> pass(none);
  pass.begin({.positions = Positions::contiguous(x.shape()[0], x.shape()[1], offset)});
  const View<const T> encoded = encode_input(x.view(), pass);
  return Tensor<T>(x.shape(), {encoded.data, static_cast<std::size_t>(encoded.size())});
}

template class SinusoidalPositionalEncoding<float>;
template class SinusoidalPositionalEncoding<double>;

EncodingEntry sinusoidal_encoding() {
  return describe_encoding<SinusoidalPositionalEncoding>(
      "sinusoidal", "input",
      "x + PE, PE(pos, 2i) = sin(pos ω_i), PE(pos, 2i+1) = cos(pos ω_i), ω_i = base^(-2i/d)",
      "computed for any position", "Vaswani et al. 2017, §3.5");
}

}  // namespace ordinal

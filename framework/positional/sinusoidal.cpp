#include "framework/positional/sinusoidal.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "framework/core/vector_math.h"

namespace ordinal {
namespace {

std::vector<double> whole_positions(Index count, double offset = 0.0) {
  std::vector<double> positions(static_cast<std::size_t>(count));
  std::iota(positions.begin(), positions.end(), offset);
  return positions;
}

}  // namespace

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

template <typename T>
SinusoidalPositionalEncoding<T>::SinusoidalPositionalEncoding(const ModelShape& shape,
                                                              const SinusoidalOptions& options,
                                                              const Scope& scope)
    : d_model_(shape.d_model),
      base_(options.sines.base),
      scale_pe_(static_cast<T>(options.scale_pe)),
      table_(columns_of(shape, options).frequencies, std::max(shape.positions, shape.longest),
             SinusoidLayout::interleaved, table_precision(options.sines.precision)),
      dropout_(columns_of(shape, options).dropout),
      purpose_(hash_name(scope.dotted("dropout"))) {}

template <typename T>
SinusoidalPositionalEncoding<T>::SinusoidalPositionalEncoding(Index max_seq_len, Index d_model, double base)
    : d_model_(d_model),
      base_(base),
      table_(sinusoidal_frequencies(d_model, base), max_seq_len, SinusoidLayout::interleaved) {}

template <typename T>
std::string SinusoidalPositionalEncoding<T>::constants() const {
  return fmt::format("base {:g}, table of {} bytes", base_, table_.memory_bytes());
}

template <typename T>
View<const T> SinusoidalPositionalEncoding<T>::dropped(View<const T> encoding, Index sequence,
                                                       Pass<T>& pass) const {
  const View<T> mask = pass.allocate(1, d_model_);
  Random random = pass.random(purpose_, sequence);
  for (Index c = 0; c < d_model_; ++c) {
    const double p = dropout_[static_cast<std::size_t>(c)];
    mask(0, c) = random.uniform() >= p ? static_cast<T>(1.0 / (1.0 - p)) : T(0);
  }
  const View<T> result = pass.allocate(encoding.rows, d_model_);
  for (Index t = 0; t < encoding.rows; ++t)
    vmath::multiply(encoding.row(t), mask.data, result.row(t), d_model_);
  return result;
}

template <typename T>
View<const T> SinusoidalPositionalEncoding<T>::encode_input(View<const T> x, Pass<T>& pass) const {
  const Positions& positions = pass.run().positions;
  const View<T> y = pass.allocate(x.rows, x.cols);
  const auto frame = pass.scratch_frame();
  View<const T> encoding;
  for (Index sequence = 0; sequence < positions.batch(); ++sequence) {
    if (sequence == 0 || !positions.is_shared()) encoding = table_.rows(positions.of(sequence), pass);
    const bool drop = pass.run().training && !dropout_.empty();
    const View<const T> added = drop ? dropped(encoding, sequence, pass) : encoding;
    const Index first = sequence * positions.seq_len();
    for (Index t = 0; t < positions.seq_len(); ++t) {
      std::copy_n(x.row(first + t), x.cols, y.row(first + t));
      vmath::add_scaled(scale_pe_, added.row(t), y.row(first + t), x.cols);
    }
  }
  return y;
}

template <typename T>
Tensor<T> SinusoidalPositionalEncoding<T>::get_encoding(Index seq_len) const {
  Tensor<T> encoding({seq_len, d_model_});
  std::vector<T> row(static_cast<std::size_t>(table_.cols()));
  for (Index pos = 0; pos < seq_len; ++pos) {
    table_.write(static_cast<double>(pos), row.data());
    std::copy_n(row.data(), d_model_, encoding.view().row(pos));
  }
  return encoding;
}

template <typename T>
Tensor<T> SinusoidalPositionalEncoding<T>::forward(const Tensor<T>& x, double offset) const {
  if (x.shape().size() != 3 || x.shape().back() != d_model_) {
    throw std::invalid_argument(
        fmt::format("SinusoidalPositionalEncoding: got input of shape {}, expected (batch, seq_len, {})",
                    to_string(x.shape()), d_model_));
  }
  const ParameterLayout no_parameters;
  const Parameters<T> none(no_parameters);
  Pass<T> pass(none);
  pass.begin({.positions = Positions::contiguous(x.shape()[0], x.shape()[1], offset)});
  const View<const T> encoded = encode_input(x.view(), pass);
  return Tensor<T>(x.shape(), {encoded.data, static_cast<std::size_t>(encoded.size())});
}

ORDINAL_INSTANTIATE(SinusoidalPositionalEncoding);

EncodingEntry sinusoidal_encoding() {
  return describe_encoding<SinusoidalPositionalEncoding, SinusoidalOptions>(
      {.name = "sinusoidal",
       .acts_on = {Place::input},
       .formula =
           "x + scale_pe PE, PE(pos, 2i) = sin(pos ω_i), PE(pos, 2i+1) = cos(pos ω_i), ω_i = base^(-2i/d)",
       .parameters = "none",
       .beyond = "computed for any position",
       .source = "Vaswani et al. 2017, §3.5",
       .definition =
           R"(x_t becomes x_t + scale_pe · PE(p_t), where x_t is the (scaled) token embedding and p_t any real position:
  PE(p)[2i] = sin(p ω_i),  PE(p)[2i + 1] = cos(p ω_i),  ω_i = base^(-2i/D),  i = 0 … D/2 - 1.
D = d_model, or d_model + 1 for an odd d_model with pad_odd = true: then the last column is dropped.
base = auto is max(10 L/2π, 2) for the training length L. Angles are computed in double; precision = half or
bfloat16 rounds the sines and cosines to nearest even.
dropout_high and dropout_low act in training only: column c of PE is left out of an example as a whole with
probability P_c = dropout_high + (dropout_low - dropout_high) c/(d_model - 1), else divided by 1 - P_c.
Nothing is learned.)"});
}

}  // namespace ordinal

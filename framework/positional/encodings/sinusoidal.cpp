#include "framework/positional/encodings/sinusoidal.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "framework/math/vector_math.h"

namespace ordinal {

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
  return sinusoidal_positional_encoding(Positions::contiguous(1, seq_len).of(0), d_model, base);
}

template <typename T>
SinusoidalPositionalEncoding<T>::SinusoidalPositionalEncoding(const ModelShape& shape,
                                                              const SinusoidalOptions& options,
                                                              const Scope& scope)
    : d_model_(shape.d_model),
      base_(options.sines.base),
      variant_(variant_text(options)),
      scale_pe_(static_cast<T>(options.scale_pe)),
      columns_(columns_of(shape, options)),
      table_(columns_.frequencies, rows_to_keep(std::max(shape.positions, shape.longest)), columns_.layout,
             table_precision(options.sines.precision)),
      training_band_(columns_.in_training.begin(), columns_.in_training.end()),
      test_band_(columns_.in_test.begin(), columns_.in_test.end()),
      purpose_(hash_name(scope.dotted("dropout"))) {}

template <typename T>
SinusoidalPositionalEncoding<T>::SinusoidalPositionalEncoding(Index max_seq_len, Index d_model, double base)
    : d_model_(d_model),
      base_(base),
      columns_(columns_of({.d_model = d_model}, {.sines = {.base = base}})),
      table_(sinusoidal_frequencies(d_model, base), max_seq_len, columns_.layout) {
}  // refuses an odd d_model

template <typename T>
std::string SinusoidalPositionalEncoding<T>::constants() const {
  return fmt::format("base {:g}, {}{}table of {} bytes", base_, variant_, variant_.empty() ? "" : ", ",
                     table_.memory_bytes());
}

template <typename T>
std::vector<double> SinusoidalPositionalEncoding<T>::input_frequencies() const {
  std::vector<double> frequencies(columns_.frequencies.size());
  const FrequencyBand& band = columns_.test_band;
  std::copy(columns_.frequencies.begin() + band.first, columns_.frequencies.begin() + band.end,
            frequencies.begin() + band.first);
  return frequencies;
}

template <typename T>
View<const T> SinusoidalPositionalEncoding<T>::within(const std::vector<T>& band, View<const T> encoding,
                                                      Pass<T>& pass) const {
  if (band.empty()) return encoding;
  const View<T> result = pass.allocate(encoding.rows, columns_.width);
  for (Index t = 0; t < encoding.rows; ++t)
    vmath::multiply(encoding.row(t), band.data(), result.row(t), columns_.width);
  return result;
}

template <typename T>
View<const T> SinusoidalPositionalEncoding<T>::dropped(View<const T> encoding, Index sequence,
                                                       Pass<T>& pass) const {
  const View<T> mask = pass.allocate(1, columns_.width);
  Random random = pass.random(purpose_, sequence);
  for (Index c = 0; c < columns_.width; ++c) {
    const double p = columns_.dropout[static_cast<std::size_t>(c)];
    mask(0, c) = random.uniform() >= p ? static_cast<T>(1.0 / (1.0 - p)) : T(0);
  }
  const View<T> result = pass.allocate(encoding.rows, columns_.width);
  for (Index t = 0; t < encoding.rows; ++t)
    vmath::multiply(encoding.row(t), mask.data, result.row(t), columns_.width);
  return result;
}

template <typename T>
View<const T> SinusoidalPositionalEncoding<T>::encode_input(View<const T> x, Pass<T>& pass) const {
  const Positions& positions = pass.run().positions;
  const bool training = pass.run().training;
  const bool drop = training && !columns_.dropout.empty();
  const Index kept = x.cols - columns_.width;  // features that PE does not replace; 0: PE is added to all
  const View<T> y = pass.allocate(x.rows, x.cols);
  const auto frame = pass.scratch_frame();
  View<const T> encoding;
  for (Index sequence = 0; sequence < positions.batch(); ++sequence) {
    if (sequence == 0 || !positions.is_shared()) {
      encoding =
          within(training ? training_band_ : test_band_, table_.rows(positions.of(sequence), pass), pass);
    }
    const View<const T> added = drop ? dropped(encoding, sequence, pass) : encoding;
    const Index first = sequence * positions.seq_len();
    for (Index t = 0; t < positions.seq_len(); ++t) {
      T* row = y.row(first + t);
      std::copy_n(x.row(first + t), x.cols, row);
      if (kept > 0) std::fill_n(row + kept, columns_.width, T(0));
      vmath::add_scaled(scale_pe_, added.row(t), row + kept, columns_.width);
    }
  }
  return y;
}

// y = x + scale_pe PE:                                  dx = dy.
// y = [x_0 … x_{d-p-1}, scale_pe PE_0 … PE_{p-1}]:      dx = [dy_0 … dy_{d-p-1}, 0 … 0].
template <typename T>
View<const T> SinusoidalPositionalEncoding<T>::encode_input_backward(View<const T> dy, Pass<T>& pass) const {
  const Index kept = dy.cols - columns_.width;
  if (kept == 0) return dy;
  const View<T> dx = pass.allocate(dy.rows, dy.cols);
  for (Index r = 0; r < dy.rows; ++r) {
    std::copy_n(dy.row(r), kept, dx.row(r));
    std::fill_n(dx.row(r) + kept, columns_.width, T(0));
  }
  return dx;
}

template <typename T>
Tensor<T> SinusoidalPositionalEncoding<T>::get_encoding(Index seq_len) const {
  Tensor<T> encoding({seq_len, columns_.width});
  std::vector<T> row(static_cast<std::size_t>(table_.cols()));
  for (Index pos = 0; pos < seq_len; ++pos) {
    table_.write(static_cast<double>(pos), row.data());
    for (Index c = 0; c < columns_.width; ++c) {
      const auto column = static_cast<std::size_t>(c);
      encoding(pos, c) = test_band_.empty() ? row[column] : test_band_[column] * row[column];
    }
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
       .formula =
           "x + scale_pe PE, PE(pos, 2i) = sin(pos ω_i), PE(pos, 2i+1) = cos(pos ω_i), ω_i = base^(-2i/d)",
       .parameters = "none",
       .beyond = "computed for any position",
       .source = "Vaswani et al. 2017, §3.5",
       .definition =
           R"(x_t becomes x_t + scale_pe · PE(p_t), where x_t is the (scaled) token embedding and p_t any real position:
  PE(p)[2i] = sin(p ω_i),  PE(p)[2i + 1] = cos(p ω_i),  ω_i = base^(-2i/D),  i = 0 … n - 1,  n = D/2.
D = d = d_model; an odd d needs pad_odd = true: then D = d + 1, and the last column is dropped. Variants:
  functions = sine    PE(p)[c] = sin(p ω_c),  ω_c = base^(-c/d),  c = 0 … n - 1,  n = d, even or odd
  functions = cosine  PE(p)[c] = cos(p ω_c) at the same frequencies
  layout = halves     PE(p)[i] = sin(p ω_i),  PE(p)[n + i] = cos(p ω_i)
  concatenated = m    the last m features of x_t are replaced by scale_pe · PE(p_t) with d = m here; the others
                      do not change. In a+b, the other encoding adds to the input after that, whatever
                      their order
A column of frequency ω_i is 0 unless [band_from n] ≤ i < [band_to n], where [] rounds to nearest (a half up);
in tests (all but training) also unless [test_band_from n] ≤ i < [test_band_to n].
base = auto is max(10 L/2π, 2) for the training length L. Angles are computed in double; precision = half or
bfloat16 rounds the sines and cosines to nearest even.
dropout_high and dropout_low act in training only: the whole column c of PE is dropped from an example with
probability P_c = dropout_high + (dropout_low - dropout_high) c/(d - 1), else divided by 1 - P_c. With layout =
halves, c is the column's place in the interleaved layout.
Nothing is learned.)"});
}

}  // namespace ordinal

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

void SinusoidalOptions::visit(OptionVisitor& v) {
  sines.visit(v);
  v.choice("functions", functions, {"both", "sine", "cosine"},
           "pairs of sine and cosine, or one of them at d_model frequencies");
  v.choice("layout", layout, {"interleaved", "halves"},
           "sines and cosines alternate, or all sines come before all cosines");
  v.integer("concatenated", concatenated, between(0, largest_count),
            "number of features that PE replaces, the last ones of the embedding; 0: PE is added to all");
  v.number("scale_pe", scale_pe, at_least(0),
           "factor of PE; at 1 PE has norm √(d_model/2), and an initial token embedding √d_model");
  v.flag("pad_odd", pad_odd, "with an odd width: pad by one, encode, drop the last column");
  v.number("band_from", band_from, between(0, 1),
           "share of the frequencies, from the highest, whose columns are 0", Binds::training);
  v.number("band_to", band_to, between(0, 1), "share of the frequencies after which columns are 0",
           Binds::training);
  v.number("test_band_from", test_band_from, between(0, 1), "as band_from, in tests only", Binds::test);
  v.number("test_band_to", test_band_to, between(0, 1), "as band_to, in tests only", Binds::test);
  v.number("dropout_high", dropout_high, between(0, 0.999999),
           "dropout of whole dimensions of PE, at the highest frequency", Binds::training);
  v.number("dropout_low", dropout_low, between(0, 0.999999), "the same at the lowest; linear in between",
           Binds::training);
}

void SinusoidalOptions::resolve(const ModelShape& shape) {
  sines.resolve(shape);
  columns_of(shape, *this);
}

namespace {

Index width_of(const ModelShape& shape, const SinusoidalOptions& options) {
  const Index concatenated = options.concatenated;
  if (concatenated >= shape.d_model) {
    throw ConfigError(fmt::format("concatenated = {} leaves no feature of {} to tokens, expected at most {}",
                                  concatenated, shape.d_model, shape.d_model - 1));
  }
  const Index width = concatenated > 0 ? concatenated : shape.d_model;
  if (width % 2 == 0 || options.pad_odd || options.functions != "both") return width;
  throw ConfigError(
      fmt::format("needs an even width, got {} (set pad_odd = true to pad it by one, functions = sine or "
                  "cosine, or use another {})",
                  width, concatenated > 0 ? "concatenated" : "d_model"));
}

// The frequencies first ≤ i < end.
struct Band {
  Index first;
  Index end;

  bool holds(Index i) const { return i >= first && i < end; }
};

// The frequencies of `outer` that are also among the shares from … to of all `count`; messages call these {name}_from and {name}_to.
Band band_within(const Band& outer, const std::string& name, double from, double to, Index count) {
  const Band band{std::max(outer.first, rounded_product(from, count)),
                  std::min(outer.end, rounded_product(to, count))};
  if (band.first < band.end) return band;
  throw ConfigError(fmt::format(
      "{0}_from = {1} and {0}_to = {2} keep none of {3} frequencies, expected at least one (widen the band)",
      name, from, to, count));
}

}  // namespace

SinusoidalColumns columns_of(const ModelShape& shape, const SinusoidalOptions& options) {
  const bool pairs = options.functions == "both";
  const bool halves = options.layout == "halves";
  if (halves && !pairs) {
    throw ConfigError(
        fmt::format("layout = halves orders pairs, and functions = {} has none (set functions = both)",
                    options.functions));
  }
  const Index width = width_of(shape, options);
  const Index count = pairs ? (width + width % 2) / 2 : width;
  const Band training = band_within({0, count}, "band", options.band_from, options.band_to, count);
  const Band test = band_within(training, "test_band", options.test_band_from, options.test_band_to, count);
  const std::vector<double> frequencies = sinusoidal_frequencies(2 * count, options.sines.base);
  const auto last = static_cast<double>(std::max<Index>(width - 1, 1));
  SinusoidalColumns columns;
  for (Index c = 0; c < width; ++c) {
    // Where it would be if sines and cosines alternated: from the highest frequency to the lowest.
    const Index place = !halves ? c : c < count ? 2 * c : 2 * (c - count) + 1;
    const Index i = pairs ? place / 2 : place;
    const double frequency = frequencies[static_cast<std::size_t>(i)];
    const bool second = pairs && place % 2 == 1;
    columns.sinusoids.push_back({frequency, second || options.functions == "cosine"});
    columns.in_training.push_back(training.holds(i) ? 1.0 : 0.0);
    columns.in_test.push_back(test.holds(i) ? 1.0 : 0.0);
    const double share = static_cast<double>(place) / last;
    columns.dropout.push_back(options.dropout_high + share * (options.dropout_low - options.dropout_high));
    if (!second) columns.tested.push_back(test.holds(i) ? frequency : 0.0);
  }
  return columns;
}

template <typename T>
SinusoidalPositionalEncoding<T>::SinusoidalPositionalEncoding(const ModelShape& shape,
                                                              const SinusoidalOptions& options,
                                                              const Scope& scope)
    : d_model_(shape.d_model),
      scale_pe_(static_cast<T>(options.scale_pe)),
      columns_(columns_of(shape, options)),
      table_(columns_.sinusoids, rows_to_keep(std::max(shape.positions, shape.longest)),
             options.sines.precision),
      purpose_(hash_name(scope.dotted("dropout"))) {}

template <typename T>
SinusoidalPositionalEncoding<T>::SinusoidalPositionalEncoding(Index max_seq_len, Index d_model, double base)
    : d_model_(d_model),
      columns_(columns_of({.d_model = d_model}, {.sines = {.base = base}})),
      table_(columns_.sinusoids, max_seq_len) {}

// The factor of each column of PE: 0 outside the band; in training, also 0 where it is dropped.
template <typename T>
View<const T> SinusoidalPositionalEncoding<T>::factors_of(Index sequence, Pass<T>& pass) const {
  const bool training = pass.run().training;
  const View<T> factors = pass.allocate(1, columns_.width());
  Random random = pass.random(purpose_, sequence);
  for (Index c = 0; c < columns_.width(); ++c) {
    const auto column = static_cast<std::size_t>(c);
    factors(0, c) = static_cast<T>(training ? columns_.in_training[column] : columns_.in_test[column]);
    if (!training) continue;
    const double p = columns_.dropout[column];
    factors(0, c) *= random.uniform() >= p ? static_cast<T>(1.0 / (1.0 - p)) : T(0);
  }
  return factors;
}

template <typename T>
View<const T> SinusoidalPositionalEncoding<T>::encode_input(View<const T> x, Pass<T>& pass) const {
  const Positions& positions = pass.run().positions;
  const Index kept = x.cols - columns_.width();  // features that PE does not replace; 0: PE is added to all
  const View<T> y = pass.allocate(x.rows, x.cols);
  const auto frame = pass.scratch_frame();
  const View<const T> rows = table_.rows(positions, pass);
  const View<T> added = pass.allocate(1, columns_.width());
  for (Index sequence = 0; sequence < positions.batch(); ++sequence) {
    const View<const T> factors = factors_of(sequence, pass);
    const Index first = sequence * positions.seq_len();
    for (Index t = 0; t < positions.seq_len(); ++t) {
      T* row = y.row(first + t);
      std::copy_n(x.row(first + t), x.cols, row);
      if (kept > 0) std::fill_n(row + kept, columns_.width(), T(0));
      vmath::multiply(rows.row(positions.is_shared() ? t : first + t), factors.data, added.data,
                      columns_.width());
      vmath::add_scaled(scale_pe_, added.data, row + kept, columns_.width());
    }
  }
  return y;
}

// y = x + scale_pe PE:                                  dx = dy.
// y = [x_0 … x_{d-p-1}, scale_pe PE_0 … PE_{p-1}]:      dx = [dy_0 … dy_{d-p-1}, 0 … 0].
template <typename T>
View<const T> SinusoidalPositionalEncoding<T>::encode_input_backward(View<const T> dy, Pass<T>& pass) const {
  const Index kept = dy.cols - columns_.width();
  if (kept == 0) return dy;
  const View<T> dx = pass.allocate(dy.rows, dy.cols);
  for (Index r = 0; r < dy.rows; ++r) {
    std::copy_n(dy.row(r), kept, dx.row(r));
    std::fill_n(dx.row(r) + kept, columns_.width(), T(0));
  }
  return dx;
}

template <typename T>
Tensor<T> SinusoidalPositionalEncoding<T>::get_encoding(Index seq_len) const {
  Tensor<T> encoding({seq_len, columns_.width()});
  for (Index pos = 0; pos < seq_len; ++pos) {
    T* row = encoding.view().row(pos);
    table_.write(static_cast<double>(pos), row);
    for (const double share : columns_.in_test) *row++ *= static_cast<T>(share);
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

#include "framework/positional/rotary.h"

#include <fmt/format.h>

#include <algorithm>
#include <numbers>

#include "framework/core/errors.h"
#include "framework/core/options.h"
#include "framework/math/vector_math.h"

namespace ordinal {
void RotaryOptions::visit(OptionVisitor& v) {
  sines.visit(v);
  v.choice("pairing", pairing, {"interleaved", "half"},
           "pairs (2i, 2i + 1) or (i, i + r/2) of r rotated dimensions");
  v.number("rotary_fraction", rotary_fraction, between(0, 1), "share of a head's dimensions that is rotated");
  v.number("turning", turning, between(0, 1),
           "share of the pairs, from the fastest, that turn with the position; the others have frequency 0 "
           "(p-RoPE)");
  v.number("least_turns", least_turns, at_least(0),
           "pairs that turn fewer times within the training length have frequency 0; 1: HoPE");
}

void RotaryOptions::resolve(const ModelShape& shape) {
  sines.resolve(shape);
  dimensions = rounded_product(rotary_fraction, shape.d_head());
  if (dimensions >= 2 && dimensions % 2 == 0) return;
  throw ConfigError(
      fmt::format("{} of a head's {} dimensions would be rotated, expected an even number of at least 2 "
                  "(d_model / heads · "
                  "rotary_fraction)",
                  dimensions, shape.d_head()));
}

std::vector<double> rotary_frequencies(Index d, double base, const Stretch& stretch) {
  return stretch.frequencies ? stretch.frequencies(d, base) : sinusoidal_frequencies(d, base);
}

Index TurningPairs::count(const std::vector<double>& frequencies) const {
  const double least = least_turns > 0.0 ? 2.0 * std::numbers::pi * least_turns / train_length : 0.0;
  const auto turns = [&](double frequency) { return frequency >= least; };
  const auto by_turns = std::ranges::find_if_not(frequencies, turns) - frequencies.begin();
  return std::min<Index>(by_turns, product_rounded_up(share, std::ssize(frequencies)));
}

template <typename T>
Rotary<T>::Rotary(const ModelShape& shape, const RotaryOptions& options, const Scope& scope)
    : d_head_(shape.d_head()),
      base_(options.sines.base),
      turning_(
          TurningPairs{options.turning, options.least_turns, static_cast<double>(shape.train_length)}.count(
              sinusoidal_frequencies(options.dimensions, base_))),
      pairing_(options.pairing == "half" ? Pairing::half : Pairing::interleaved),
      precision_(table_precision(options.sines.precision)),
      table_(with_stopped_pairs(sinusoidal_frequencies(options.dimensions, base_)),
             rows_to_keep(shape.longest), SinusoidLayout::split, precision_),
      angles_(scope.add_prepared()) {}

template <typename T>
std::vector<double> Rotary<T>::with_stopped_pairs(std::vector<double> frequencies) const {
  std::fill(frequencies.begin() + turning_, frequencies.end(), 0.0);
  return frequencies;
}

template <typename T>
std::string Rotary<T>::constants() const {
  const std::string stopped = turning_ < pairs() ? fmt::format(", {} of them turn", turning_) : "";
  return fmt::format("base {:g}, {} pairs ({}){}, table of {} bytes", base_, pairs(),
                     pairing_ == Pairing::half ? "half" : "interleaved", stopped, table_.memory_bytes());
}

template <typename T>
std::vector<double> Rotary<T>::frequencies(const Stretch& stretch) const {
  return with_stopped_pairs(rotary_frequencies(2 * pairs(), base_, stretch));
}

template <typename T>
void Rotary<T>::begin_run(Pass<T>& pass) const {
  const Positions& positions = pass.run().positions;
  const Stretch& stretch = positions.stretch();
  if (stretch.factor == 1.0) {
    pass.prepare(angles_, table_.rows(positions, pass));
    return;
  }
  const SinusoidTable<T> stretched(frequencies(stretch), 0, SinusoidLayout::split, precision_);
  const View<const T> rows = stretched.rows(positions, pass);
  const View<T> scaled = pass.allocate(rows.rows, rows.cols);
  for (Index r = 0; r < rows.rows; ++r) {
    const double position = positions.of(r / pass.seq_len())[static_cast<std::size_t>(r % pass.seq_len())];
    if (position < stretch.unchanged) {
      table_.write(position, scaled.row(r));
      continue;
    }
    std::copy_n(rows.row(r), rows.cols, scaled.row(r));
    vmath::scale(static_cast<T>(stretch.magnitude), scaled.row(r), rows.cols);
  }
  pass.prepare(angles_, scaled);
}

template <typename T>
void Rotary<T>::turn(View<T> x, View<const T> angles, T direction) const {
  const Index n = pairs();
  const Index step = pairing_ == Pairing::half ? 1 : 2;
  const Index apart = second(0);
  for (Index t = 0; t < x.rows; ++t) {
    const T* sine = angles.row(t);
    const T* cosine = sine + n;
    for (Index head = 0; head < x.cols; head += d_head_) {
      T* a = x.row(t) + head;
      T* b = a + apart;
      for (Index i = 0; i < n; ++i) {
        const T s = direction * sine[i];
        const T first = a[i * step];
        const T second = b[i * step];
        a[i * step] = first * cosine[i] - second * s;
        b[i * step] = first * s + second * cosine[i];
      }
    }
  }
}

template <typename T>
void Rotary<T>::turn_all(View<T> query, View<T> key, T direction, Pass<T>& pass) const {
  const View<const T> angles = pass.prepared(angles_);
  for (Index sequence = 0; sequence < pass.batch(); ++sequence) {
    const View<const T> turns = pass.rows_of(angles, pass.run().positions.is_shared() ? 0 : sequence);
    turn(pass.rows_of(query, sequence), turns, direction);
    turn(pass.rows_of(key, sequence), turns, direction);
  }
}

template <typename T>
void convert_pairing(View<T> weight, Index d_head, Index pairs, Pairing from, Pairing to) {
  if (from == to) return;
  Tensor<T> before({weight.rows, weight.cols});
  copy_rows<T>(weight, before.view());
  for (Index head = 0; head < weight.rows; head += d_head) {
    for (Index i = 0; i < 2 * pairs; ++i) {
      const Index halves =
          head + (i % 2 == 0 ? i / 2 : i / 2 + pairs);  // where `half` holds element i of pairs
      const Index source = from == Pairing::half ? halves : head + i;
      const Index target = from == Pairing::half ? head + i : halves;
      std::copy_n(before.view().row(source), weight.cols, weight.row(target));
    }
  }
}

ORDINAL_INSTANTIATE(Rotary);
template void convert_pairing<float>(View<float>, Index, Index, Pairing, Pairing);
template void convert_pairing<double>(View<double>, Index, Index, Pairing, Pairing);

}  // namespace ordinal

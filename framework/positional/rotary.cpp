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

void RotaryOptions::require_pairs(Index dimensions, const ModelShape& shape) {
  if (dimensions >= 2 && dimensions % 2 == 0) return;
  throw ConfigError(
      fmt::format("{} of a head's {} dimensions would be rotated, expected an even number of at least 2 "
                  "(change model.d_model or model.heads, or rotary_fraction where there is one)",
                  dimensions, shape.d_head()));
}

void RotaryOptions::resolve(const ModelShape& shape) {
  sines.resolve(shape);
  dimensions = rounded_product(rotary_fraction, shape.d_head());
  require_pairs(dimensions, shape);
  const double least = 2.0 * std::numbers::pi * least_turns / static_cast<double>(shape.train_length);
  const Index enough = std::ranges::count_if(sinusoidal_frequencies(dimensions, sines.base),
                                             [&](double frequency) { return frequency >= least; });
  turning_pairs = std::min(enough, product_rounded_up(turning, dimensions / 2));
}

template <typename T>
Rotary<T>::Rotary(const ModelShape& shape, const RotaryOptions& options, const Scope& scope)
    : d_head_(shape.d_head()),
      base_(options.sines.base),
      turning_(options.turning_pairs),
      half_(options.pairing == "half"),
      precision_(options.sines.precision),
      table_(sines_then_cosines(with_stopped_pairs(sinusoidal_frequencies(options.dimensions, base_))),
             rows_to_keep(shape.longest), precision_),
      angles_(scope) {}

template <typename T>
std::vector<double> Rotary<T>::with_stopped_pairs(std::vector<double> frequencies) const {
  std::fill(frequencies.begin() + turning_, frequencies.end(), 0.0);
  return frequencies;
}

template <typename T>
std::vector<double> Rotary<T>::frequencies(const Stretch& stretch) const {
  return with_stopped_pairs(stretch.frequencies ? stretch.frequencies(2 * pairs(), base_)
                                                : sinusoidal_frequencies(2 * pairs(), base_));
}

template <typename T>
void Rotary<T>::begin_run(Pass<T>& pass) const {
  const Positions& positions = pass.run().positions;
  const Stretch& stretch = stretch_of(positions);
  if (stretch.factor == 1.0) return angles_.keep(table_.rows(positions, pass), pass);
  const SinusoidTable<T> stretched(sines_then_cosines(frequencies(stretch)), 0, precision_);
  const Index sequences = positions.is_shared() ? 1 : pass.batch();
  const View<T> angles = pass.allocate(sequences * pass.seq_len(), table_.cols());
  for (Index r = 0; r < angles.rows; ++r) {
    const double position = positions.of(r / pass.seq_len())[static_cast<std::size_t>(r % pass.seq_len())];
    const bool is_kept = position < stretch.unchanged;
    (is_kept ? table_ : stretched).write(position, angles.row(r));
    if (!is_kept) vmath::scale(static_cast<T>(stretch.magnitude), angles.row(r), angles.cols);
  }
  angles_.keep(angles, pass);
}

template <typename T>
void Rotary<T>::turn(View<T> x, T direction, Pass<T>& pass) const {
  for (Index t = 0; t < x.rows; ++t) turn_row(x.row(t), x.cols, angles(pass, t), direction);
}

ORDINAL_INSTANTIATE(Rotary);

}  // namespace ordinal

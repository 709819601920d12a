#include "framework/positional/learned.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "framework/core/errors.h"
#include "framework/core/vector_math.h"

namespace ordinal {
namespace {

Overflow overflow_of(const std::string& name) {
  if (name == "error") return Overflow::error;
  if (name == "clamp") return Overflow::clamp;
  if (name == "interpolate") return Overflow::interpolate;
  if (name == "untrained") return Overflow::untrained;
  throw ConfigError(
      fmt::format("positional.overflow: got '{}', expected error, clamp, interpolate or untrained", name));
}

}  // namespace

template <typename T>
struct LearnedPositionalEncoding<T>::Place {
  Index row = 0;
  Index next = 0;
  T fraction = T(0);
};

template <typename T>
LearnedPositionalEncoding<T>::LearnedPositionalEncoding(const EncodingConfig& config, const Scope& scope)
    : table_(scope.add("table", {config.max_seq_len, config.d_model}, normal(0.02))),
      overflow_(overflow_of(config.overflow)) {}

// Interpolation squeezes a sequence only if it reaches past the table.
template <typename T>
double LearnedPositionalEncoding<T>::scale_of(std::span<const double> positions) const {
  const double last_row = static_cast<double>(table_.rows - 1);
  const double largest = positions.empty() ? 0.0 : *std::ranges::max_element(positions);
  return overflow_ == Overflow::interpolate && largest > last_row ? last_row / largest : 1.0;
}

template <typename T>
typename LearnedPositionalEncoding<T>::Place LearnedPositionalEncoding<T>::place_of(double position,
                                                                                    double scale,
                                                                                    Index seq_len) const {
  const double last_row = static_cast<double>(table_.rows - 1);
  if (!(position >= 0.0)) {
    throw std::out_of_range(fmt::format(
        "LearnedPositionalEncoding: position {} is negative, expected 0 to {}", position, last_row));
  }
  const bool refuses = overflow_ == Overflow::error || overflow_ == Overflow::untrained;
  if (refuses && position > last_row) {
    const Index needed = std::max(seq_len, static_cast<Index>(std::ceil(position)) + 1);
    throw std::out_of_range(fmt::format(
        "LearnedPositionalEncoding: sequence length {} exceeds max_seq_len {} (set positional.overflow to "
        "clamp, interpolate or untrained)",
        needed, table_.rows));
  }
  const double scaled = std::min(position * scale, last_row);
  const auto row = static_cast<Index>(scaled);
  return {row, std::min(row + 1, table_.rows - 1), static_cast<T>(scaled - static_cast<double>(row))};
}

template <typename T>
View<const T> LearnedPositionalEncoding<T>::encode_input(View<const T> x, Pass<T>& pass) const {
  const Positions& positions = pass.run().positions;
  const View<const T> table = pass.value(table_);
  const View<T> y = pass.allocate(x.rows, x.cols);
  for (Index sequence = 0; sequence < positions.batch(); ++sequence) {
    const std::span<const double> places = positions.of(sequence);
    const double scale = scale_of(places);
    for (Index t = 0; t < positions.seq_len(); ++t) {
      const Place place = place_of(places[static_cast<std::size_t>(t)], scale, positions.seq_len());
      const Index r = sequence * positions.seq_len() + t;
      vmath::add(x.row(r), table.row(place.row), y.row(r), x.cols);
      if (place.fraction == T(0)) continue;
      vmath::add_scaled(-place.fraction, table.row(place.row), y.row(r), x.cols);
      vmath::add_scaled(place.fraction, table.row(place.next), y.row(r), x.cols);
    }
  }
  return y;
}

// y_t = x_t + (1 - f) row(n) + f row(n + 1):   dx = dy,   d row(n) += (1 - f) dy_t,   d row(n + 1) += f dy_t,
// summed over all tokens of the batch that stand there.
template <typename T>
View<const T> LearnedPositionalEncoding<T>::encode_input_backward(View<const T> dy, Pass<T>& pass) const {
  const Positions& positions = pass.run().positions;
  const View<T> d_table = pass.gradient(table_);
  for (Index sequence = 0; sequence < positions.batch(); ++sequence) {
    const std::span<const double> places = positions.of(sequence);
    const double scale = scale_of(places);
    for (Index t = 0; t < positions.seq_len(); ++t) {
      const Place place = place_of(places[static_cast<std::size_t>(t)], scale, positions.seq_len());
      const T* up = dy.row(sequence * positions.seq_len() + t);
      vmath::add_scaled(T(1) - place.fraction, up, d_table.row(place.row), dy.cols);
      if (place.fraction != T(0)) vmath::add_scaled(place.fraction, up, d_table.row(place.next), dy.cols);
    }
  }
  return dy;
}

template class LearnedPositionalEncoding<float>;
template class LearnedPositionalEncoding<double>;

EncodingEntry learned_encoding() {
  return describe_encoding<LearnedPositionalEncoding>(
      "learned", "input", "x + row pos of a trainable table (max_seq_len, d_model)",
      "positional.overflow: error, clamp, interpolate or untrained", "Gehring et al. 2017; BERT; GPT-2");
}

}  // namespace ordinal

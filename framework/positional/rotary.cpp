#include "framework/positional/rotary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "framework/core/errors.h"
#include "framework/core/vector_math.h"

namespace ordinal {
namespace {

Index rotated_dimensions(const EncodingConfig& config) {
  const auto d =
      static_cast<Index>(std::llround(config.rotary_fraction * static_cast<double>(config.d_head())));
  if (d >= 2 && d % 2 == 0 && d <= config.d_head()) return d;
  throw ConfigError(fmt::format(
      "{}: {} of a head's {} dimensions would be rotated, expected an even number of at least 2 (d_model / "
      "heads · positional.rotary_fraction)",
      config.name, d, config.d_head()));
}

double yarn_frequency(double frequency, const EncodingConfig& config, double factor) {
  const double turns = static_cast<double>(config.train_length) * frequency / (2.0 * std::numbers::pi);
  const double ramp = (turns - config.yarn_alpha) / (yarn_beta(config) - config.yarn_alpha);
  const double kept = std::clamp(ramp, 0.0, 1.0);
  return (1.0 - kept) * frequency / factor + kept * frequency;
}

double magnitude(const Stretch& stretch) {
  return stretch.kind == Stretch::Kind::yarn ? 0.1 * std::log(stretch.factor) + 1.0 : 1.0;
}

}  // namespace

Pairing pairing_of(const std::string& name) {
  if (name == "interleaved") return Pairing::interleaved;
  if (name == "half") return Pairing::half;
  throw ConfigError(fmt::format("positional.pairing: got '{}', expected interleaved or half", name));
}

double yarn_beta(const EncodingConfig& config) {
  const double turns = static_cast<double>(config.train_length) / (4.0 * std::numbers::pi);
  return config.yarn_beta > 0.0 ? config.yarn_beta : std::max(config.yarn_alpha + 1.0, std::min(turns, 32.0));
}

std::vector<double> rotary_frequencies(Index d, const EncodingConfig& config, const Stretch& stretch) {
  if (stretch.kind == Stretch::Kind::ntk && d > 2) {
    const double exponent = static_cast<double>(d) / static_cast<double>(d - 2);
    return sinusoidal_frequencies(d, config.base * std::pow(stretch.factor, exponent));
  }
  std::vector<double> frequencies = sinusoidal_frequencies(d, config.base);
  if (stretch.kind != Stretch::Kind::yarn) return frequencies;
  for (double& frequency : frequencies) frequency = yarn_frequency(frequency, config, stretch.factor);
  return frequencies;
}

template <typename T>
Rotary<T>::Rotary(const EncodingConfig& config)
    : config_(config),
      pairing_(pairing_of(config.pairing)),
      table_(sinusoidal_frequencies(rotated_dimensions(config), config.base), config.longest,
             SinusoidLayout::split, table_precision(config.precision)) {}

template <typename T>
std::string Rotary<T>::constants() const {
  return fmt::format("base {:g}, {} pairs ({}), YaRN α {:g}, β {:.3g}, table of {} bytes", config_.base,
                     pairs(), config_.pairing, config_.yarn_alpha, yarn_beta(config_), table_.memory_bytes());
}

template <typename T>
std::vector<double> Rotary<T>::frequencies(const Stretch& stretch) const {
  return rotary_frequencies(2 * pairs(), config_, stretch);
}

template <typename T>
View<const T> Rotary<T>::angles(Index sequence, Pass<T>& pass) const {
  const Positions& positions = pass.run().positions;
  const Stretch& stretch = positions.stretch();
  if (stretch.factor == 1.0) return table_.rows(positions.of(sequence), pass);
  const SinusoidTable<T> stretched(frequencies(stretch), 0, SinusoidLayout::split,
                                   table_precision(config_.precision));
  const View<T> rows = pass.allocate(positions.seq_len(), table_.cols());
  for (Index t = 0; t < rows.rows; ++t) {
    stretched.write(positions.of(sequence)[static_cast<std::size_t>(t)], rows.row(t));
    vmath::scale(static_cast<T>(magnitude(stretch)), rows.row(t), rows.cols);
  }
  return rows;
}

template <typename T>
void Rotary<T>::turn(View<T> x, View<const T> angles, T direction) const {
  const Index n = pairs();
  const Index step = pairing_ == Pairing::half ? 1 : 2;
  const Index apart = second(0);
  for (Index t = 0; t < x.rows; ++t) {
    const T* sine = angles.row(t);
    const T* cosine = sine + n;
    for (Index head = 0; head < x.cols; head += config_.d_head()) {
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
  const auto frame = pass.scratch_frame();
  View<const T> turns;
  for (Index sequence = 0; sequence < pass.batch(); ++sequence) {
    if (sequence == 0 || !pass.run().positions.is_shared()) turns = angles(sequence, pass);
    const Index first = sequence * pass.seq_len();
    turn(query.row_range(first, pass.seq_len()), turns, direction);
    turn(key.row_range(first, pass.seq_len()), turns, direction);
  }
}

template <typename T>
void Rotary<T>::rotate(View<T> query, View<T> key, Pass<T>& pass) const {
  turn_all(query, key, T(1), pass);
}

template <typename T>
void Rotary<T>::rotate_back(View<T> d_query, View<T> d_key, Pass<T>& pass) const {
  turn_all(d_query, d_key, T(-1), pass);
}

template <typename T>
void convert_pairing(View<T> weight, Index d_head, Index pairs, Pairing from, Pairing to) {
  if (from == to) return;
  const Tensor<T> before = [&] {
    Tensor<T> copy({weight.rows, weight.cols});
    for (Index r = 0; r < weight.rows; ++r) std::copy_n(weight.row(r), weight.cols, copy.view().row(r));
    return copy;
  }();
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

template class Rotary<float>;
template class Rotary<double>;
template void convert_pairing<float>(View<float>, Index, Index, Pairing, Pairing);
template void convert_pairing<double>(View<double>, Index, Index, Pairing, Pairing);

}  // namespace ordinal

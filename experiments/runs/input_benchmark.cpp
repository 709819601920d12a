#include "experiments/runs/input_benchmark.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "experiments/runs/timing.h"
#include "framework/core/errors.h"
#include "framework/core/number.h"
#include "framework/core/random.h"
#include "framework/core/vector_math.h"
#include "framework/positional/sinusoid_table.h"

namespace ordinal::experiments {
namespace {

constexpr Index most_features = Index{1} << 26U;
constexpr Index features_of_a_turn = Index{1}
                                     << 20U;  // at least: one pass over a small shape is too short to time
constexpr Index rows_of_a_turn = 256;         // at most: computing a row is slow
constexpr Index warm_up_turns = 2;

struct Turns {
  double first = 0.0;   // seconds, median
  double second = 0.0;  // seconds, median
  double ratio = 0.0;   // of second to first, median
};

template <typename First, typename Second>
Turns take_turns(Index turns, First first, Second second) {
  std::vector<double> firsts;
  std::vector<double> seconds;
  std::vector<double> ratios;
  for (Index turn = 0; turn < warm_up_turns + turns; ++turn) {
    const double a = seconds_of(first);
    const double b = seconds_of(second);
    if (turn < warm_up_turns) continue;
    firsts.push_back(a);
    seconds.push_back(b);
    ratios.push_back(b / a);
  }
  return {median(firsts), median(seconds), median(ratios)};
}

// Seconds for one row, of positions that are spread over the length.
Turns time_rows(const InputShape& shape, const SinusoidTable<float>& kept, Index turns) {
  const SinusoidTable<float> computed(kept.frequencies(), 0, SinusoidLayout::interleaved);
  const Index rows = std::min(shape.length, rows_of_a_turn);
  const Index step = shape.length / rows;
  std::vector<float> row(static_cast<std::size_t>(shape.width));
  const auto write_all = [&](const SinusoidTable<float>& table) {
    for (Index r = 0; r < rows; ++r) table.write(static_cast<double>(r * step), row.data());
  };
  Turns all = take_turns(
      turns, [&] { write_all(kept); }, [&] { write_all(computed); });
  all.first /= static_cast<double>(rows);
  all.second /= static_cast<double>(rows);
  return all;
}

// Every token once, in random order.
std::vector<Index> shuffled_tokens(Index count) {
  std::vector<Index> tokens(static_cast<std::size_t>(count));
  std::iota(tokens.begin(), tokens.end(), Index{0});
  Random random({.seed = 1, .purpose = hash_name("input benchmark")});
  for (std::size_t i = tokens.size(); i > 1; --i) {
    std::swap(tokens[i - 1], tokens[random.below(static_cast<std::uint32_t>(i))]);
  }
  return tokens;
}

// Seconds for y_t = E[token_t] + PE_t over all tokens.
Turns time_passes(const InputShape& shape, const SinusoidTable<float>& sines, Index turns) {
  const Tensor<float> embedding({shape.length, shape.width});
  Tensor<float> pe({shape.length, shape.width});
  Tensor<float> x({shape.length, shape.width});
  Tensor<float> y({shape.length, shape.width});
  for (Index t = 0; t < shape.length; ++t) sines.write(static_cast<double>(t), pe.view().row(t));
  const std::vector<Index> tokens = shuffled_tokens(shape.length);
  const auto token = [&](Index t) { return embedding.view().row(tokens[static_cast<std::size_t>(t)]); };
  const auto add_pe = [&](const auto& input) {
    for (Index t = 0; t < shape.length; ++t)
      vmath::add<float>(input(t), pe.view().row(t), y.view().row(t), shape.width);
  };
  const auto one_pass = [&] { add_pe(token); };
  const auto two_passes = [&] {
    for (Index t = 0; t < shape.length; ++t) std::copy_n(token(t), shape.width, x.view().row(t));
    add_pe([&](Index t) { return x.view().row(t); });
  };
  const Index repeats = std::max<Index>(1, features_of_a_turn / (shape.length * shape.width));
  const auto repeated = [&](const auto& work) {
    return [&] {
      for (Index i = 0; i < repeats; ++i) work();
    };
  };
  Turns all = take_turns(turns, repeated(one_pass), repeated(two_passes));
  all.first /= static_cast<double>(repeats);
  all.second /= static_cast<double>(repeats);
  return all;
}

}  // namespace

std::string shape_text(const InputShape& shape) { return fmt::format("{}x{}", shape.length, shape.width); }

InputShape parse_input_shape(const std::string& text) {
  const std::size_t cross = text.find('x');
  const auto length = parse_integer(text.substr(0, cross));
  const auto width = parse_integer(cross == std::string::npos ? "" : text.substr(cross + 1));
  const auto in_range = [](const auto& size) { return size && *size >= 1 && *size <= most_features; };
  if (!in_range(length) || !in_range(width) || *width % 2 != 0 || *length > most_features / *width) {
    throw ConfigError(fmt::format(
        "got '{}', expected LENGTHxWIDTH such as 512x64, with an even width and at most {} features", text,
        most_features));
  }
  return {*length, *width};
}

Index one_pass_bytes(const InputShape& shape, Index element_bytes) {
  return 3 * shape.length * shape.width * element_bytes;
}

Index two_passes_bytes(const InputShape& shape, Index element_bytes) {
  return 5 * shape.length * shape.width * element_bytes;
}

InputTiming time_input(const InputShape& shape, Index turns) {
  const SinusoidTable<float> kept(sinusoidal_frequencies(shape.width), shape.length,
                                  SinusoidLayout::interleaved);
  const Turns rows = time_rows(shape, kept, turns);
  const Turns passes = time_passes(shape, kept, turns);
  return {1e9 * rows.first,   1e9 * rows.second,   rows.ratio,
          1e3 * passes.first, 1e3 * passes.second, passes.ratio};
}

}  // namespace ordinal::experiments

#include "experiments/encoding/numbers.h"

#include <algorithm>
#include <cmath>

#include "experiments/encoding/analysis.h"
#include "experiments/encoding/subject.h"
#include "framework/core/number.h"
#include "framework/core/random.h"
#include "framework/positional/sinusoidal.h"

namespace ordinal::experiments {
namespace {

constexpr double tolerance =
    1e-6;  // of formulas that explorer.js computes, which the table in float is not closer to
constexpr Index most_pairs = 100'000;  // numbers of the matrices of one encoding

// Queries and keys in which every number is the same.
Content constant_content(const ModelShape& shape, Index seq_len, double value) {
  Content content = random_content(shape, seq_len, 1);
  std::ranges::fill(content.query.span(), value);
  std::ranges::fill(content.key.span(), value);
  return content;
}

Content content_with_input(const ModelShape& shape, Index seq_len) {
  Content content = random_content(shape, seq_len, 1);
  content.input = Tensor<double>({seq_len, shape.d_model});
  Random random({.seed = 1, .purpose = hash_name("layer input")});
  for (double& value : content.input.span()) value = random.normal();
  return content;
}

// The largest |number(row, j)| over the pairs of a query and a key that it sees, of all heads.
double largest_visible(const Tensor<double>& values, bool causal, const auto& number) {
  double largest = 0.0;
  for_each_pair(values.view(), causal,
                [&](Index row, Index j) { largest = std::max(largest, std::abs(number(row, j))); });
  return largest;
}

// The distances 0 … L - 1 of a causal model, -(L - 1) … L - 1 of another, times the step between positions.
PairFunction curves_of(const Tensor<double>& values, Index heads, std::span<const double> positions,
                       bool causal) {
  const Index length = std::ssize(positions);
  const double step = length > 1 ? positions[1] - positions[0] : 1.0;
  const Index first = causal ? 0 : 1 - length;
  PairFunction function;
  function.curves = Tensor<double>({heads, length - first});
  for (Index n = first; n < length; ++n) {
    function.distances.push_back(step * static_cast<double>(n));
    const Index query = std::max<Index>(n, 0);
    for (Index head = 0; head < heads; ++head) {
      function.curves(head, n - first) = values(head * length + query, query - n);
    }
  }
  return function;
}

PairFunction matrices_of(const Tensor<double>& values, Index heads, Index length, bool causal) {
  const double per_head = static_cast<double>(most_pairs) * (causal ? 2.0 : 1.0) / static_cast<double>(heads);
  const Index most = static_cast<Index>(std::sqrt(per_head));
  const Index count = std::min(length, most);
  PairFunction function;
  for (Index t = 0; t < count; ++t) {
    function.drawn.push_back(count == 1 ? 0 : (t * (length - 1) + (count - 1) / 2) / (count - 1));
  }
  function.matrices = Tensor<double>({heads, count, count});
  for (Index row = 0; row < heads * count; ++row) {
    const Index query = function.drawn[static_cast<std::size_t>(row % count)];
    for (Index j = 0; j < count; ++j) {
      function.matrices(row, j) =
          values(row / count * length + query, function.drawn[static_cast<std::size_t>(j)]);
    }
  }
  return function;
}

// An option of the part that acts in this place, with the value in effect.
std::optional<double> option_of(const Effect<double>& effect, Place place, const std::string& name) {
  for (const Part& part : encoding_parts(effect.text)) {
    const EncodingEntry& entry = encodings().find(part.name);
    if (std::ranges::find(entry.acts_on, place) == entry.acts_on.end()) continue;
    for (const OptionSpec& option : entry.resolve(part, effect.shape)) {
      if (option.name == name) return parse_real(option.value);
    }
  }
  return std::nullopt;
}

// The base with which the input is the formula that explorer.js computes.
std::optional<double> base_of_input(const EncodingNumbers& numbers, const Effect<double>& effect) {
  const auto base = option_of(effect, Place::input, "base");
  if (!base || numbers.input_frequencies.empty() || numbers.d_model % 2 != 0) return std::nullopt;
  const Tensor<double> formula = sinusoidal_positional_encoding(numbers.positions, numbers.d_model, *base);
  const bool holds = std::ranges::equal(formula.span(), numbers.input.span(),
                                        [](double a, double b) { return std::abs(a - b) <= tolerance; });
  return holds ? base : std::nullopt;
}

double rotary_product(const RotaryFormula& formula, double n) {
  double product = static_cast<double>(formula.rest);
  for (Index i = 0; i < formula.width / 2; ++i) {
    const double share = 2.0 * static_cast<double>(i) / static_cast<double>(formula.width);
    const double zeta = (share + formula.gamma) / (1.0 + formula.gamma);
    const double fade = formula.scale > 0.0 ? std::pow(zeta, n / formula.scale) : 1.0;
    product += 2.0 * fade * std::cos(n * std::pow(formula.base, -share));
  }
  return product;
}

// Its parameters are options of the encoding; it is shown only where it gives the products of the hooks.
std::optional<RotaryFormula> rotary_formula(const EncodingNumbers& numbers, const Effect<double>& effect) {
  const auto option = [&](const char* name) { return option_of(effect, Place::query_key, name); };
  const PairFunction& products = numbers.products;
  if (!option("base") || numbers.frequencies.empty() || products.distances.empty()) return std::nullopt;
  const Index width = 2 * std::ssize(numbers.frequencies);
  const RotaryFormula formula{*option("base"), width, numbers.d_head - width,
                              option("xpos_gamma").value_or(0.0), option("xpos_scale").value_or(0.0)};
  for (std::size_t n = 0; n < products.distances.size(); ++n) {
    const double product = products.curves(0, static_cast<Index>(n));
    const double error = rotary_product(formula, products.distances[n]) - product;
    if (!(std::abs(error) <= tolerance * static_cast<double>(numbers.d_head))) return std::nullopt;
  }
  return formula;
}

// As curves over the distance if values (heads, L, L) depend on nothing else (up to rounding) and the positions are
// evenly spaced; else as matrices, of fewer tokens where there are many.
PairFunction pair_function(const Tensor<double>& values, std::span<const double> positions, bool causal) {
  const Index length = std::ssize(positions);
  const double largest = largest_visible(values, causal, [&](Index row, Index j) { return values(row, j); });
  const double rounding = 1e-9 * std::max(1.0, largest);
  const bool same = largest_visible(values, causal, [&](Index row, Index j) {
                      return values(row, j) - values(row % length, j);
                    }) <= rounding;
  const Index heads = same ? 1 : values.shape()[0];
  const auto deviation =
      evenly_spaced(positions) ? distance_deviation(values.view(), positions, causal) : std::nullopt;
  const bool of_distance = length == 1 || (deviation && *deviation <= rounding);
  PairFunction function =
      of_distance ? curves_of(values, heads, positions, causal) : matrices_of(values, heads, length, causal);
  function.same_heads = same;
  return function;
}

void add_scores(EncodingNumbers& numbers, const Effect<double>& effect) {
  const ModelShape& shape = effect.shape;
  const Index heads = std::min(shape.heads, most_page_heads);
  const auto function = [&](const Tensor<double>& values) {
    return pair_function(values, numbers.positions, shape.causal);
  };
  const Content ones = constant_content(shape, effect.seq_len(), 1.0);
  if (effect.acts(Place::query_key))
    numbers.products = function(effect.pairs(effect.encoded(ones), 1.0, false, heads));
  if (!effect.acts(Place::scores)) return;
  const auto added = [&](const Content& content) {
    return effect.pairs(effect.encoded(content), 0.0, true, heads);
  };
  numbers.bias = function(added(ones));
  const Tensor<double> zeros = added(constant_content(shape, effect.seq_len(), 0.0));
  const Tensor<double> random = added(content_with_input(shape, effect.seq_len()));
  numbers.reads_content = largest_visible(zeros, shape.causal, [&](Index row, Index j) {
                            return random(row, j) - zeros(row, j);
                          }) > tolerance;
  if (numbers.reads_content) numbers.bias_of_zeros = function(zeros);
}

}  // namespace

EncodingNumbers encoding_numbers(const Effect<double>& effect) {
  const ModelShape& shape = effect.shape;
  const std::span<const double> positions = effect.positions.of(0);
  EncodingNumbers numbers;
  numbers.name = effect.text;
  numbers.positions.assign(positions.begin(), positions.end());
  numbers.causal = shape.causal;
  numbers.step = evenly_spaced(positions);
  numbers.d_model = shape.d_model;
  numbers.heads = shape.heads;
  numbers.d_head = shape.d_head();
  numbers.train_length = shape.train_length;
  numbers.input = effect.input();
  numbers.input_frequencies = effect.encoding.input_frequencies();
  numbers.frequencies = effect.encoding.frequencies(effect.positions.stretch());
  add_scores(numbers, effect);
  numbers.input_base = base_of_input(numbers, effect);
  numbers.rotary = rotary_formula(numbers, effect);
  return numbers;
}

}  // namespace ordinal::experiments

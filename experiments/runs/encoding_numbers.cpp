#include "experiments/runs/encoding_numbers.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "experiments/runs/encoding_positions.h"
#include "framework/core/blas.h"
#include "framework/core/number.h"
#include "framework/core/random.h"
#include "framework/positional/analysis.h"
#include "framework/positional/sinusoidal.h"

namespace ordinal::experiments {
namespace {

constexpr double tolerance =
    1e-6;  // of formulas that explorer.js computes, which the table in float is not closer to
constexpr Index most_pairs = 100'000;  // numbers of the matrices of one encoding

// Queries and keys of all positions, and the input of their layer.
struct Content {
  QueryKey query_key;
  Tensor<double> layer_input;  // (L, d_model)
};

Content constant_content(const ModelShape& shape, Index seq_len, double value) {
  Content content{random_query_key(shape, seq_len, 1), Tensor<double>({seq_len, shape.d_model})};
  std::ranges::fill(content.query_key.query.span(), value);
  std::ranges::fill(content.query_key.key.span(), value);
  return content;
}

Content random_content(const ModelShape& shape, Index seq_len) {
  Content content{random_query_key(shape, seq_len, 1), Tensor<double>({seq_len, shape.d_model})};
  Random random({.seed = 1, .purpose = hash_name("layer input")});
  for (double& value : content.layer_input.span()) value = random.normal();
  return content;
}

// What the encoding makes of queries and keys, for each head that is drawn: (heads, L, L).
struct Effect {
  Tensor<double> products;  // q_i·k_j, not scaled
  Tensor<double> added;     // to the scores
};

Effect effect_on(Content content, const PlacedEncoding& placed) {
  const Index length = placed.seq_len();
  const Index heads = std::min(placed.shape.heads, most_page_heads);
  Pass<double> pass(placed.values);
  pass.begin({.positions = placed.positions});
  placed.encoding.begin_run(pass);
  placed.encoding.encode_layer(content.layer_input.view(), placed.layer, pass);
  auto& [query, key] = content.query_key;
  placed.encoding.encode_query_key(query.view(), key.view(), placed.layer, pass);
  Effect effect{Tensor<double>({heads, length, length}), Tensor<double>({heads, length, length})};
  for (Index head = 0; head < heads; ++head) {
    const auto block = whole_block<double>(placed.shape, placed.layer, head, std::as_const(query).view(),
                                           std::as_const(key).view(), placed.positions.of(0));
    multiply<double>(block.query, transposed(block.key),
                     effect.products.view().row_range(head * length, length));
    placed.encoding.encode_scores(block, effect.added.view().row_range(head * length, length), pass);
  }
  return effect;
}

// The largest |visit(row, column)| over the pairs of a query and a key that it sees, of all heads.
double largest_visible(const Tensor<double>& values, bool causal, const auto& visit) {
  const Index length = values.view().cols;
  double largest = 0.0;
  for (Index row = 0; row < values.view().rows; ++row) {
    const Index visible = causal ? row % length + 1 : length;
    for (Index j = 0; j < visible; ++j) largest = std::max(largest, std::abs(visit(row, j)));
  }
  return largest;
}

bool all_heads_equal(const Tensor<double>& values, bool causal, double rounding) {
  const Index length = values.view().cols;
  return largest_visible(values, causal, [&](Index row, Index j) {
           return values(row, j) - values(row % length, j);
         }) <= rounding;
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

// An option of the part of `text` that acts in this place, with the value in effect.
std::optional<double> option_of(const std::string& text, Place place, const std::string& name,
                                const ModelShape& shape) {
  for (const Part& part : encoding_parts(text)) {
    const EncodingEntry& entry = encodings().find(part.name);
    if (std::ranges::find(entry.acts_on, place) == entry.acts_on.end()) continue;
    for (const OptionSpec& option : entry.resolve(part, shape)) {
      if (option.name == name) return parse_real(option.value);
    }
  }
  return std::nullopt;
}

// The base with which the input is the formula that explorer.js computes.
std::optional<double> base_of_input(const EncodingNumbers& numbers, const std::string& text,
                                    const ModelShape& shape) {
  const auto base = option_of(text, Place::input, "base", shape);
  if (!base || numbers.input_frequencies.empty() || numbers.d_model % 2 != 0) return std::nullopt;
  const Tensor<double> formula = sinusoidal_positional_encoding(numbers.positions, numbers.d_model, *base);
  for (Index i = 0; i < formula.size(); ++i) {
    if (!(std::abs(formula.span()[static_cast<std::size_t>(i)] -
                   numbers.input.span()[static_cast<std::size_t>(i)]) <= tolerance))
      return std::nullopt;
  }
  return base;
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
std::optional<RotaryFormula> rotary_formula(const EncodingNumbers& numbers, const std::string& text,
                                            const ModelShape& shape) {
  const auto option = [&](const char* name) { return option_of(text, Place::query_key, name, shape); };
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

void add_scores(EncodingNumbers& numbers, const PlacedEncoding& placed, const std::string& text) {
  const Index length = placed.seq_len();
  const bool causal = placed.shape.causal;
  const auto function = [&](const Tensor<double>& values) {
    return pair_function(values, placed.positions.of(0), causal);
  };
  const Effect ones = effect_on(constant_content(placed.shape, length, 1.0), placed);
  if (acts_on(text, Place::query_key)) numbers.products = function(ones.products);
  if (!acts_on(text, Place::scores)) return;
  numbers.bias = function(ones.added);
  const Effect zeros = effect_on(constant_content(placed.shape, length, 0.0), placed);
  const Effect random = effect_on(random_content(placed.shape, length), placed);
  numbers.reads_content = largest_visible(zeros.added, causal, [&](Index row, Index j) {
                            return random.added(row, j) - zeros.added(row, j);
                          }) > tolerance;
  if (numbers.reads_content) numbers.bias_of_zeros = function(zeros.added);
}

}  // namespace

PairFunction pair_function(const Tensor<double>& values, std::span<const double> positions, bool causal) {
  const Index length = std::ssize(positions);
  const double largest = largest_visible(values, causal, [&](Index row, Index j) { return values(row, j); });
  const double rounding = 1e-9 * std::max(1.0, largest);
  const bool same = all_heads_equal(values, causal, rounding);
  const Index heads = same ? 1 : values.shape()[0];
  const auto deviation =
      evenly_spaced(positions) ? distance_deviation(values.view(), positions, causal) : std::nullopt;
  const bool of_distance = length == 1 || (deviation && *deviation <= rounding);
  PairFunction function =
      of_distance ? curves_of(values, heads, positions, causal) : matrices_of(values, heads, length, causal);
  function.same_heads = same;
  return function;
}

EncodingNumbers encoding_numbers(const PlacedEncoding& placed, const std::string& text) {
  const std::span<const double> positions = placed.positions.of(0);
  const ModelShape& shape = placed.shape;
  EncodingNumbers numbers;
  numbers.name = text;
  numbers.positions.assign(positions.begin(), positions.end());
  numbers.causal = shape.causal;
  numbers.step = evenly_spaced(positions);
  numbers.d_model = shape.d_model;
  numbers.heads = shape.heads;
  numbers.d_head = shape.d_head();
  numbers.train_length = shape.train_length;
  numbers.input =
      encoding_matrices(placed.encoding, placed.values, text, shape, placed.positions, placed.layer,
                        random_query_key(shape, placed.seq_len(), 1), {.angles = false, .bias = false})
          .input;
  numbers.input_frequencies = placed.encoding.input_frequencies();
  numbers.frequencies = placed.encoding.frequencies(placed.positions.stretch());
  add_scores(numbers, placed, text);
  numbers.input_base = base_of_input(numbers, text, shape);
  numbers.rotary = rotary_formula(numbers, text, shape);
  return numbers;
}

}  // namespace ordinal::experiments

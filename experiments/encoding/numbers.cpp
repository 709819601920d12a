#include "experiments/encoding/numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>

#include "experiments/encoding/analysis.h"
#include "experiments/encoding/subject.h"
#include "experiments/report/html.h"
#include "framework/core/random.h"
#include "framework/core/text.h"
#include "framework/positional/encodings/sinusoidal.h"

namespace ordinal::experiments {
namespace {

using Json = EncodingNumbers;

constexpr double tolerance =
    1e-6;  // of formulas that explorer.js computes; the table in float is not closer to them than this
constexpr Index most_pairs = 100'000;  // numbers in the matrices of one encoding

// Queries and keys whose numbers are all `value`.
Content constant_content(const ModelShape& shape, Index seq_len, double value) {
  Content content = random_content(shape, seq_len, 1);
  std::ranges::fill(content.query.span(), value);
  std::ranges::fill(content.key.span(), value);
  return content;
}

// The largest |number(row, j)| over all heads and all pairs of a query and a key that it sees.
double largest_visible(const Tensor<double>& values, bool causal, const auto& number) {
  double largest = 0.0;
  for_each_pair(values.view(), causal,
                [&](Index row, Index j) { largest = std::max(largest, std::abs(number(row, j))); });
  return largest;
}

// The distances, 0 … L - 1 for a causal model and -(L - 1) … L - 1 for others, times the step between positions.
void add_curves(Json& json, const Tensor<double>& values, Index heads, std::span<const double> positions,
                bool causal) {
  const Index length = std::ssize(positions);
  const double step = length > 1 ? positions[1] - positions[0] : 1.0;
  const Index first = causal ? 0 : 1 - length;
  for (Index n = first; n < length; ++n) json["distances"].push_back(step * static_cast<double>(n));
  for (Index head = 0; head < heads; ++head) {
    Json& curve = json["curves"].emplace_back();
    for (Index n = first; n < length; ++n) {
      const Index query = std::max<Index>(n, 0);
      curve.push_back(values(head * length + query, query - n));
    }
  }
}

void add_matrices(Json& json, const Tensor<double>& values, Index heads, Index length, bool causal) {
  const double per_head = static_cast<double>(most_pairs) * (causal ? 2.0 : 1.0) / static_cast<double>(heads);
  const Index count = std::min(length, static_cast<Index>(std::sqrt(per_head)));
  std::vector<Index> drawn;
  for (Index t = 0; t < count; ++t)
    drawn.push_back(count == 1 ? 0 : (t * (length - 1) + (count - 1) / 2) / (count - 1));
  json["drawn"] = drawn;
  for (Index head = 0; head < heads; ++head) {
    Json& matrix = json["matrices"].emplace_back();
    for (const Index query : drawn) {
      Json& row = matrix.emplace_back();
      for (const Index key : drawn)
        if (!causal || key <= query) row.push_back(values(head * length + query, key));
    }
  }
}

// Curves over the distance if positions are evenly spaced and values (heads, L, L) depend on nothing
// else (up to rounding). Otherwise matrices, of a subset of the tokens if there are many.
Json pair_function(const Tensor<double>& values, std::span<const double> positions, bool causal) {
  const Index length = std::ssize(positions);
  const double largest = largest_visible(values, causal, [&](Index row, Index j) { return values(row, j); });
  const double rounding = 1e-9 * std::max(1.0, largest);
  const bool same = largest_visible(values, causal, [&](Index row, Index j) {
                      return values(row, j) - values(row % length, j);
                    }) <= rounding;
  const Index heads = same ? 1 : values.shape()[0];
  const auto deviation =
      evenly_spaced(positions) ? distance_deviation(values.view(), positions, causal) : std::nullopt;
  Json json = {{"same_heads", same}};
  if (length == 1 || (deviation && *deviation <= rounding)) {
    add_curves(json, values, heads, positions, causal);
  } else {
    add_matrices(json, values, heads, length, causal);
  }
  return json;
}

// The value in effect of an option of the part that acts in this place.
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

// The input, and the base if the input is the formula that explorer.js computes with this base.
void add_input(Json& json, const Effect<double>& effect) {
  const Tensor<double> input = effect.input();
  if (input.size() == 0) return;
  for (Index t = 0; t < effect.seq_len(); ++t)
    json["input"].push_back(std::span(input.view().row(t), static_cast<std::size_t>(effect.shape.d_model)));
  const std::vector<double> frequencies = effect.encoding.input_frequencies();
  if (frequencies.empty()) return;
  json["input_frequencies"] = frequencies;
  const auto base = option_of(effect, Place::input, "base");
  if (!base || effect.shape.d_model % 2 != 0) return;
  const auto positions = effect.positions.of(0);
  const Tensor<double> formula = sinusoidal_positional_encoding(
      std::vector(positions.begin(), positions.end()), effect.shape.d_model, *base);
  const auto near = [](double a, double b) { return std::abs(a - b) <= tolerance; };
  if (std::ranges::equal(formula.span(), input.span(), near)) json["input_base"] = *base;
}

// The product of a query and a key of ones at distance n. numbers.h describes the parameters.
double rotary_product(const Json& rotary, double n) {
  const double width = rotary["width"], gamma = rotary["gamma"], scale = rotary["scale"];
  double product = rotary["rest"];
  for (Index i = 0; i < rotary["width"].get<Index>() / 2; ++i) {
    const double share = 2.0 * static_cast<double>(i) / width;
    const double zeta = (share + gamma) / (1.0 + gamma);
    const double fade = scale > 0.0 ? std::pow(zeta, n / scale) : 1.0;
    product += 2.0 * fade * std::cos(n * std::pow(rotary["base"].get<double>(), -share));
  }
  return product;
}

// The formula takes options of the encoding as parameters. Added only if it gives the products of the hooks.
void add_rotary(Json& json, const Effect<double>& effect, const Json& products) {
  const auto option = [&](const char* name) { return option_of(effect, Place::query_key, name); };
  if (!option("base") || !json.contains("frequencies") || !products.contains("curves")) return;
  const Index width = 2 * std::ssize(json["frequencies"]);
  const Index d_head = effect.shape.d_head();
  const Json rotary = {{"base", *option("base")},
                       {"width", width},
                       {"rest", d_head - width},
                       {"gamma", option("xpos_gamma").value_or(0.0)},
                       {"scale", option("xpos_scale").value_or(0.0)}};
  for (std::size_t n = 0; n < products["distances"].size(); ++n) {
    const double error =
        rotary_product(rotary, products["distances"][n]) - products["curves"][0][n].get<double>();
    if (!(std::abs(error) <= tolerance * static_cast<double>(d_head))) return;
  }
  json["rotary"] = rotary;
}

void add_scores(Json& json, const Effect<double>& effect) {
  const ModelShape& shape = effect.shape;
  const Index heads = std::min(shape.heads, most_page_heads);
  const auto pairs = [&](const Content& content, double product, bool added) {
    return effect.pairs(content, product, added, heads);
  };
  const auto function = [&](const Tensor<double>& values) {
    return pair_function(values, effect.positions.of(0), shape.causal);
  };
  const Content ones = constant_content(shape, effect.seq_len(), 1.0);
  if (effect.acts(Place::query_key)) {
    const Json products = function(pairs(ones, 1.0, false));
    add_rotary(json, effect, products);
    json["products"] = products;
  }
  bool reads_content = false;
  if (effect.acts(Place::scores)) {
    const Tensor<double> zeros = pairs(constant_content(shape, effect.seq_len(), 0.0), 0.0, true);
    Content content = random_content(shape, effect.seq_len(), 1);
    content.input = Tensor<double>({effect.seq_len(), shape.d_model});
    Random normal({.seed = 1, .purpose = hash_name("layer input")});
    for (double& value : content.input.span()) value = normal.normal();
    const Tensor<double> random = pairs(content, 0.0, true);
    const auto difference = [&](Index row, Index j) { return random(row, j) - zeros(row, j); };
    reads_content = largest_visible(zeros, shape.causal, difference) > tolerance;
    json["bias"] = function(pairs(ones, 0.0, true));
    if (reads_content) json["bias_of_zeros"] = function(zeros);
  }
  json["reads_content"] = reads_content;
}

// Rounds numbers in lists, because pictures need no more than six digits; writes 0, not -0.
void round_lists(Json& json) {
  for (Json& one : json) {
    if (one.is_structured()) round_lists(one);
    if (json.is_array() && one.is_number_float() && std::isfinite(one.get<double>()))
      one = parse_real(fmt::format("{:.6g}", one.get<double>())).value() + 0.0;
  }
}

}  // namespace

EncodingNumbers encoding_numbers(const Effect<double>& effect, const std::string& name, bool trained) {
  const ModelShape& shape = effect.shape;
  const std::span<const double> positions = effect.positions.of(0);
  Json json = {
      {"name", name},         {"positions", positions},           {"causal", shape.causal},
      {"trained", trained},   {"step", evenly_spaced(positions)}, {"d_model", shape.d_model},
      {"heads", shape.heads}, {"d_head", shape.d_head()},         {"train_length", shape.train_length}};
  add_input(json, effect);
  const std::vector<double> frequencies = effect.encoding.frequencies(effect.positions.stretch());
  if (!frequencies.empty()) json["frequencies"] = frequencies;
  add_scores(json, effect);
  return json;
}

std::string inside_page(EncodingNumbers encodings) {
  round_lists(encodings);
  return inside_script(encodings.dump(-1, ' ', false, Json::error_handler_t::replace));
}

}  // namespace ordinal::experiments

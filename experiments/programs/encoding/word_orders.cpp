#include "experiments/programs/encoding/word_orders.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <sstream>

#include "experiments/encoding/effect.h"
#include "experiments/programs/encoding/study.h"
#include "framework/core/errors.h"
#include "framework/core/random.h"
#include "framework/math/vector_math.h"

namespace ordinal::experiments {
namespace {

using Words = std::vector<std::string>;

Words words_of(const std::string& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

// For each word of the sentence, its place in the other order.
std::vector<Index> places(const Words& sentence, Words reordered) {
  std::vector<Index> found;
  for (const std::string& word : sentence) {
    const auto place = std::ranges::find(reordered, word);
    if (place == reordered.end() || sentence.size() != reordered.size()) return {};
    found.push_back(place - reordered.begin());
    place->clear();  // taken
  }
  return found;
}

// A random row for each word, the same wherever the word stands.
Tensor<double> random_rows(const Words& words, Index width, std::uint64_t seed) {
  Tensor<double> rows({std::ssize(words), width});
  for (Index i = 0; i < std::ssize(words); ++i) {
    Random random({.seed = seed, .purpose = hash_name(words[static_cast<std::size_t>(i)])});
    for (Index c = 0; c < width; ++c) rows(i, c) = random.normal();
  }
  return rows;
}

// (n, n): the softmax of the scores (heads, n, n) over the keys that a query sees, mean over the heads.
Tensor<double> attention_of(const Words& words, const std::string& text, const ModelShape& shape,
                            std::uint64_t seed) {
  const Index length = std::ssize(words);
  const BuiltEncoding encoding(text, shape, seed);
  const Effect effect{encoding, Positions::contiguous(1, length)};
  const Tensor<double> x = random_rows(words, shape.d_model, seed);
  Tensor<double> scores = effect.scores(ScoreProbe(shape, seed).content(effect, x));
  Tensor<double> attention({length, length});
  for (Index row = 0; row < shape.heads * length; ++row) {
    const Index visible = shape.causal ? row % length + 1 : length;
    double* weights = scores.view().row(row);
    const double total = vmath::softmax_exponentials(weights, visible).total;
    for (Index j = 0; j < visible; ++j)
      attention(row % length, j) += weights[j] / total / static_cast<double>(shape.heads);
  }
  return attention;
}

Tensor<double> in_order(const Tensor<double>& attention, const std::vector<Index>& order) {
  Tensor<double> result(attention.shape());
  double* next = result.data();
  for (const Index i : order) {
    for (const Index j : order) *next++ = attention(i, j);
  }
  return result;
}

double largest_difference(const Tensor<double>& a, const Tensor<double>& b) {
  return std::transform_reduce(
      a.span().begin(), a.span().end(), b.data(), 0.0, [](double x, double y) { return std::max(x, y); },
      [](double x, double y) { return std::abs(x - y); });
}

}  // namespace

WordOrders compare_word_orders(const std::string& sentence, const std::string& reordered,
                               const std::string& encoding, ModelShape shape, std::uint64_t seed) {
  const Words words = words_of(sentence);
  const Words others = words_of(reordered);
  const std::vector<Index> place = places(words, others);
  if (place.empty() || words == others) {
    throw ConfigError(fmt::format(
        "encoding.reordered: got '{}', expected the words of encoding.sentence = {} in another order",
        reordered, sentence));
  }
  const Index query = std::ranges::mismatch(words, others).in1 - words.begin();
  const Index key =
      place[static_cast<std::size_t>(query)];  // what stands there in the other order moves, too
  Grid table{.title = fmt::format("Attention of “{}” on “{}”, and the largest change of any",
                                  *(words.begin() + query), *(words.begin() + key)),
             .headings = {"model", sentence, reordered, "change"}};
  HeatmapOptions options{.title = "attention in two orders of the same words",
                         .x_label = "key",
                         .y_label = "query",
                         .palette = Palette::sequential};
  std::vector<Tensor<double>> maps;
  for (const std::string& name : encoding == "none" ? Words{"none"} : Words{"none", encoding}) {
    const bool causal_only = std::ranges::any_of(find_encodings(name), &EncodingEntry::causal_only);
    for (const bool causal : {false, true}) {
      if (causal_only && !causal) continue;
      shape.causal = causal;
      const Tensor<double> here = attention_of(words, name, shape, seed);
      const Tensor<double> there = in_order(attention_of(others, name, shape, seed), place);
      table.lines.push_back({{name + (causal ? ", causal" : ", bidirectional")},
                             {format_value(here(query, key))},
                             {format_value(there(query, key))},
                             {format_effect(largest_difference(here, there))}});
      if (causal == causal_only) maps.insert(maps.end(), {here, there});  // the first
    }
  }
  std::vector<View<const double>> views;
  for (const Tensor<double>& map : maps) views.push_back(map.view());
  for (std::size_t i = 0; i < 2 * words.size(); ++i) {
    const std::size_t tile = i / words.size();
    const Tick tick{static_cast<double>(i + tile), words[i % words.size()]};  // a gap lies between the tiles
    options.x_ticks.push_back(tick);
    if (tile < maps.size() / 2) options.y_ticks.push_back(tick);
  }
  return {table, heatmap(tiled(views, 2, 1).view(), options)};
}

}  // namespace ordinal::experiments

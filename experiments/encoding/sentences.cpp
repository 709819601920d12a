#include "experiments/encoding/sentences.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <iterator>
#include <map>
#include <sstream>

#include "experiments/results/csv.h"
#include "experiments/settings/parts.h"
#include "framework/core/errors.h"
#include "framework/core/random.h"
#include "models/transformer.h"

namespace ordinal::experiments {
namespace {

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

// Pairs each word with its next unpaired occurrence in the other order.
std::vector<Index> partners(const TwoOrders& orders) {
  const auto refuse = [&](const std::string& word, const char* what) {
    throw ConfigError(fmt::format(
        "encoding.reordered: got '{}', expected the words of encoding.sentence in another order ('{}' is {})",
        joined(orders.reordered, " "), word, what));
  };
  std::map<std::string, std::deque<Index>> left;
  for (Index i = 0; i < std::ssize(orders.reordered); ++i) left[orders.reordered[at(i)]].push_back(i);
  std::vector<Index> result;
  for (const std::string& word : orders.sentence) {
    if (left[word].empty()) refuse(word, "missing");
    result.push_back(left[word].front());
    left[word].pop_front();
  }
  for (const auto& [word, indices] : left) {
    if (!indices.empty()) refuse(word, "too many");
  }
  return result;
}

// Random weights that make attention far from uniform. In new models it is close to uniform.
Parameters<double> random_weights(const Transformer<double>& model, std::uint64_t seed) {
  Parameters<double> values(model.layout());
  initialize(values, seed);
  const double deviation = 1.0 / std::sqrt(static_cast<double>(model.config().d_model));
  for (const char* name :
       {"token_embedding.weight", "block.0.attention.qkv.weight", "block.0.attention.output.weight"}) {
    const View<double> weight = values[name];
    Random random({.seed = seed, .purpose = hash_name(name)});
    for (Index i = 0; i < weight.size(); ++i) weight.data[i] = deviation * random.normal();
  }
  return values;
}

// What a model computes from words at positions 0, 1, 2, …
struct Reading {
  Reading(const Transformer<double>& model, const Parameters<double>& values,
          const std::vector<Token>& words) {
    const Positions positions = Positions::contiguous(1, std::ssize(words));
    Pass<double> pass(values);
    attention = attention_map<double>(model, words, positions, 0, all_heads, pass);
    pass.begin({.positions = positions});
    const View<const double> hidden = model.hidden(words, pass);
    output =
        Tensor<double>({hidden.rows, hidden.cols}, {hidden.data, static_cast<std::size_t>(hidden.size())});
  }

  Tensor<double> attention;
  Tensor<double> output;
};

OrderComparison compared(const TwoOrders& orders, const std::string& encoding, const ModelShape& shape,
                         bool causal, std::uint64_t seed) {
  const Transformer<double> model({.vocab_size = orders.size(),
                                   .d_model = shape.d_model,
                                   .layers = 1,
                                   .heads = shape.heads,
                                   .n_kv_heads = shape.n_kv_heads,
                                   .block = "attention",
                                   .causal = causal,
                                   .encoding = encoding,
                                   .train_length = shape.train_length,
                                   .positions = shape.positions});
  const Parameters<double> values = random_weights(model, seed);
  std::vector<Token> tokens(orders.sentence.size());  // one per distinct word
  std::vector<Token> moved(orders.sentence.size());
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    tokens[i] =
        static_cast<Token>(std::ranges::find(orders.sentence, orders.sentence[i]) - orders.sentence.begin());
    moved[at(orders.partner[i])] = tokens[i];
  }
  Reading here(model, values, tokens);
  const Reading there(model, values, moved);
  OrderComparison result{encoding, causal, std::move(here.attention), Tensor<double>(there.attention.shape()),
                         std::vector<double>(orders.sentence.size())};
  for (Index i = 0; i < orders.size(); ++i) {
    const Index other = orders.partner[at(i)];
    for (Index j = 0; j < orders.size(); ++j)
      result.reordered(i, j) = there.attention(other, orders.partner[at(j)]);
    double& largest = result.differences[at(i)];
    for (Index c = 0; c < shape.d_model; ++c)
      largest = std::max(largest, std::abs(here.output(i, c) - there.output(other, c)));
  }
  return result;
}

const char* model_name(const OrderComparison& comparison) {
  return comparison.causal ? "causal" : "bidirectional";
}

std::string table(const TwoOrders& orders, const std::vector<OrderComparison>& comparisons) {
  const Index query = orders.moved().front();
  const Index key = orders.moved().back();
  std::size_t width = 8;
  for (const OrderComparison& one : comparisons) width = std::max(width, one.encoding.size());
  std::string text = fmt::format(
      "sentence:  {}\nreordered: {}\nattention of '{}' on '{}' (mean over the heads), and the largest "
      "difference of the outputs of a word in the two orders:\n{:<{}}  {:<13}  {:>9}  {:>9}  {:>10}\n",
      joined(orders.sentence, " "), joined(orders.reordered, " "), orders.label(query), orders.label(key),
      "encoding", width, "model", "sentence", "reordered", "difference");
  for (const OrderComparison& one : comparisons) {
    text +=
        fmt::format("{:<{}}  {:<13}  {:>9.6f}  {:>9.6f}  {:>10.2g}\n", one.encoding, width, model_name(one),
                    one.attention(query, key), one.reordered(query, key), std::ranges::max(one.differences));
  }
  return text;
}

// Both maps side by side.
void draw_maps(const TwoOrders& orders, const OrderComparison& one, StudyFiles& files) {
  HeatmapOptions options{
      .title = fmt::format("{}, {}: the same words in two orders", one.encoding, model_name(one)),
      .x_label = fmt::format("key: '{}' on the left, '{}' on the right", joined(orders.sentence, " "),
                             joined(orders.reordered, " ")),
      .y_label = "query",
      .palette = Palette::sequential};
  for (Index i = 0; i < orders.size(); ++i)
    options.y_ticks.push_back({static_cast<double>(i), orders.sentence[at(i)]});
  options.x_ticks = options.y_ticks;
  for (const Tick& tick : options.y_ticks)
    options.x_ticks.push_back({tick.at + static_cast<double>(orders.size() + 1), tick.text});
  files.draw(fmt::format("sentence-{}-{}", names_only(one.encoding, '+'), model_name(one)),
             tiled({one.attention.view(), one.reordered.view()}, 2, 1).view(), options);
}

}  // namespace

std::string TwoOrders::label(Index word) const {
  const std::string& text = sentence[at(word)];
  if (std::ranges::count(sentence, text) == 1) return text;
  return fmt::format("{} ({})", text, std::count(sentence.begin(), sentence.begin() + word + 1, text));
}

std::vector<Index> TwoOrders::moved() const {
  std::vector<Index> words;
  for (Index word = 0; word < size(); ++word) {
    if (partner[at(word)] != word) words.push_back(word);
  }
  return words;
}

std::optional<TwoOrders> two_orders(const std::string& sentence, const std::string& reordered) {
  if (sentence.empty() && reordered.empty()) return std::nullopt;
  if (sentence.empty()) throw ConfigError("encoding.reordered needs encoding.sentence, the words to reorder");
  if (reordered.empty())
    throw ConfigError("encoding.sentence needs encoding.reordered, the same words in another order");
  TwoOrders orders{words_of(sentence), words_of(reordered)};
  if (orders.size() < 2) {
    throw ConfigError(fmt::format(
        "encoding.sentence: got '{}', expected at least two words, separated by spaces", sentence));
  }
  orders.partner = partners(orders);
  if (orders.moved().empty())
    throw ConfigError("encoding.reordered: got the order of encoding.sentence, expected another one");
  return orders;
}

std::vector<OrderComparison> compare_orders(const TwoOrders& orders, const std::string& encoding,
                                            const ModelShape& shape, std::uint64_t seed) {
  std::vector<OrderComparison> comparisons;
  for (const std::string& name : {std::string("none"), encoding}) {
    if (name == "none" && !comparisons.empty()) break;
    const bool causal_only = std::ranges::any_of(find_encodings(name), &EncodingEntry::causal_only);
    if (!causal_only) comparisons.push_back(compared(orders, name, shape, false, seed));
    comparisons.push_back(compared(orders, name, shape, true, seed));
  }
  return comparisons;
}

void study_sentences(const TwoOrders& orders, const std::vector<OrderComparison>& comparisons,
                     StudyFiles& files) {
  files.text = table(orders, comparisons);
  std::string attention = "encoding,model,query,key,sentence,reordered\n";
  std::string outputs = "encoding,model,word,largest_difference\n";
  for (const OrderComparison& one : comparisons) {
    for (Index i = 0; i < orders.size(); ++i) {
      const std::string word =
          fmt::format("{},{},{}", csv(one.encoding), model_name(one), csv(orders.label(i)));
      outputs += fmt::format("{},{:.3g}\n", word, one.differences[at(i)]);
      for (Index j = 0; j < orders.size(); ++j)
        attention += fmt::format("{},{},{:.17g},{:.17g}\n", word, csv(orders.label(j)), one.attention(i, j),
                                 one.reordered(i, j));
    }
  }
  files.write("sentences.csv", attention);
  files.write("sentence_outputs.csv", outputs);
  for (const OrderComparison& one : comparisons) draw_maps(orders, one, files);
}

}  // namespace ordinal::experiments

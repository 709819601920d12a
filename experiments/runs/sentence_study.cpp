#include "experiments/runs/sentence_study.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <sstream>

#include "experiments/report/csv.h"
#include "experiments/report/files.h"
#include "experiments/report/heatmap.h"
#include "framework/core/errors.h"
#include "framework/core/random.h"
#include "framework/storage/atomic_file.h"
#include "models/transformer.h"

namespace ordinal::experiments {
namespace {

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

void check_same_words(const TwoOrders& orders) {
  std::map<std::string, Index> missing;
  for (const std::string& word : orders.sentence) ++missing[word];
  for (const std::string& word : orders.reordered) --missing[word];
  for (const auto& [word, count] : missing) {
    if (count == 0) continue;
    throw ConfigError(fmt::format(
        "encoding.reordered: got '{}', expected the words of encoding.sentence in another order ('{}' is {})",
        joined(orders.reordered, " "), word, count > 0 ? "missing" : "too many"));
  }
}

std::vector<Index> partners(const TwoOrders& orders) {
  std::map<std::string, Index> next;  // where to look for a word's next occurrence
  std::vector<Index> result;
  for (const std::string& word : orders.sentence) {
    const auto found = std::find(orders.reordered.begin() + next[word], orders.reordered.end(), word);
    result.push_back(found - orders.reordered.begin());
    next[word] = result.back() + 1;
  }
  return result;
}

// One token for each different word.
std::vector<Token> tokens_of(const std::vector<std::string>& words, const TwoOrders& orders) {
  std::vector<Token> tokens;
  for (const std::string& word : words) {
    const auto first = std::ranges::find(orders.sentence, word);
    tokens.push_back(static_cast<Token>(first - orders.sentence.begin()));
  }
  return tokens;
}

ModelConfig config_of(const std::string& encoding, const ModelShape& shape, bool causal, Index words) {
  return {.vocab_size = words,
          .d_model = shape.d_model,
          .layers = 1,
          .heads = shape.heads,
          .n_kv_heads = shape.n_kv_heads,
          .block = "attention",
          .causal = causal,
          .encoding = encoding,
          .train_length = shape.train_length,
          .positions = shape.positions};
}

// A model of random weights whose attention is far from even, as that of new models is not.
class RandomModel {
 public:
  RandomModel(const ModelConfig& config, std::uint64_t seed) : model_(config), values_(model_.layout()) {
    initialize(values_, seed);
    const double deviation = 1.0 / std::sqrt(static_cast<double>(config.d_model));
    for (const char* name :
         {"token_embedding.weight", "block.0.attention.qkv.weight", "block.0.attention.output.weight"}) {
      const View<double> weight = values_[name];
      Random random({.seed = seed, .purpose = hash_name(name)});
      for (Index i = 0; i < weight.size(); ++i) weight.data[i] = deviation * random.normal();
    }
  }

  // Mean over the heads.
  Tensor<double> attention(const std::vector<Token>& tokens) const {
    Pass<double> pass(values_);
    return attention_map<double>(model_, tokens, Positions::contiguous(1, std::ssize(tokens)), 0, all_heads,
                                 pass);
  }

  Tensor<double> outputs(const std::vector<Token>& tokens) const {
    Pass<double> pass(values_);
    pass.begin({.positions = Positions::contiguous(1, std::ssize(tokens))});
    const View<const double> hidden = model_.hidden(tokens, pass);
    return Tensor<double>({hidden.rows, hidden.cols}, {hidden.data, at(hidden.size())});
  }

 private:
  Transformer<double> model_;
  Parameters<double> values_;
};

double largest_difference(const Tensor<double>& a, Index row_a, const Tensor<double>& b, Index row_b) {
  double largest = 0.0;
  for (Index c = 0; c < a.view().cols; ++c) largest = std::max(largest, std::abs(a(row_a, c) - b(row_b, c)));
  return largest;
}

OrderComparison compared(const TwoOrders& orders, const std::string& encoding, const ModelShape& shape,
                         bool causal, std::uint64_t seed) {
  const RandomModel model(config_of(encoding, shape, causal, orders.size()), seed);
  const std::vector<Token> there = tokens_of(orders.reordered, orders);
  const std::vector<Token> here = tokens_of(orders.sentence, orders);
  const Tensor<double> moved = model.attention(there);
  const Tensor<double> outputs = model.outputs(here);
  const Tensor<double> moved_outputs = model.outputs(there);
  OrderComparison result{encoding, causal, model.attention(here), Tensor<double>(moved.shape()), {}};
  for (Index i = 0; i < orders.size(); ++i) {
    const Index other = orders.partner[at(i)];
    for (Index j = 0; j < orders.size(); ++j) result.reordered(i, j) = moved(other, orders.partner[at(j)]);
    result.differences.push_back(largest_difference(outputs, i, moved_outputs, other));
  }
  return result;
}

const char* model_name(const OrderComparison& comparison) {
  return comparison.causal ? "causal" : "bidirectional";
}

// "sentence-sinusoidal+t5-causal.svg", without options.
std::string picture_name(const OrderComparison& one) {
  std::vector<std::string> names;
  for (const Part& part : encoding_parts(one.encoding)) names.push_back(part.name);
  return fmt::format("sentence-{}-{}.svg", joined(names, "+"), model_name(one));
}

std::string attention_csv(const TwoOrders& orders, const std::vector<OrderComparison>& comparisons) {
  std::string text = "encoding,model,query,key,sentence,reordered\n";
  for (const OrderComparison& one : comparisons) {
    for (Index i = 0; i < orders.size(); ++i) {
      for (Index j = 0; j < orders.size(); ++j) {
        text +=
            fmt::format("{},{},{},{},{:.17g},{:.17g}\n", csv(one.encoding), model_name(one),
                        csv(orders.label(i)), csv(orders.label(j)), one.attention(i, j), one.reordered(i, j));
      }
    }
  }
  return text;
}

std::string outputs_csv(const TwoOrders& orders, const std::vector<OrderComparison>& comparisons) {
  std::string text = "encoding,model,word,largest_difference\n";
  for (const OrderComparison& one : comparisons) {
    for (Index i = 0; i < orders.size(); ++i) {
      text += fmt::format("{},{},{},{:.3g}\n", csv(one.encoding), model_name(one), csv(orders.label(i)),
                          one.differences[at(i)]);
    }
  }
  return text;
}

std::string table(const TwoOrders& orders, const std::vector<OrderComparison>& comparisons) {
  const Index query = orders.first_moved();
  const Index key = orders.last_moved();
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

// The two maps, with a column between them.
Tensor<double> side_by_side(const OrderComparison& one) {
  const Index n = one.attention.view().rows;
  Tensor<double> both({n, 2 * n + 1});
  std::ranges::fill(both.span(), std::numeric_limits<double>::quiet_NaN());
  for (Index i = 0; i < n; ++i) {
    std::copy_n(one.attention.view().row(i), n, both.view().row(i));
    std::copy_n(one.reordered.view().row(i), n, both.view().row(i) + n + 1);
  }
  return both;
}

HeatmapOptions picture_of(const TwoOrders& orders, const OrderComparison& one) {
  HeatmapOptions options{
      .title = fmt::format("{}, {}: the same words in two orders", one.encoding, model_name(one)),
      .x_label = fmt::format("key: '{}' on the left, '{}' on the right", joined(orders.sentence, " "),
                             joined(orders.reordered, " ")),
      .y_label = "query",
      .palette = Palette::sequential};
  for (Index i = 0; i < orders.size(); ++i) {
    options.y_ticks.push_back({static_cast<double>(i), orders.sentence[at(i)]});
  }
  options.x_ticks = options.y_ticks;
  for (const HeatmapTick& tick : options.y_ticks) {
    options.x_ticks.push_back({tick.at + static_cast<double>(orders.size() + 1), tick.text});
  }
  return options;
}

}  // namespace

std::string TwoOrders::label(Index word) const {
  const std::string& text = sentence[at(word)];
  if (std::ranges::count(sentence, text) == 1) return text;
  return fmt::format("{} ({})", text, std::count(sentence.begin(), sentence.begin() + word + 1, text));
}

Index TwoOrders::first_moved() const {
  Index word = 0;
  while (partner[at(word)] == word) ++word;
  return word;
}

Index TwoOrders::last_moved() const {
  Index word = size() - 1;
  while (partner[at(word)] == word) --word;
  return word;
}

TwoOrders two_orders(const std::string& sentence, const std::string& reordered) {
  TwoOrders orders{words_of(sentence), words_of(reordered), {}};
  if (orders.size() < 2) {
    throw ConfigError(fmt::format(
        "encoding.sentence: got '{}', expected at least two words, separated by spaces", sentence));
  }
  check_same_words(orders);
  if (orders.sentence == orders.reordered) {
    throw ConfigError("encoding.reordered: got the order of encoding.sentence, expected another one");
  }
  orders.partner = partners(orders);
  return orders;
}

std::optional<TwoOrders> two_orders(const Settings& settings) {
  const std::string& sentence = settings.text("encoding.sentence");
  const std::string& reordered = settings.text("encoding.reordered");
  if (sentence.empty() && reordered.empty()) return std::nullopt;
  if (sentence.empty()) throw ConfigError("encoding.reordered needs encoding.sentence, the words to reorder");
  if (reordered.empty()) {
    throw ConfigError("encoding.sentence needs encoding.reordered, the same words in another order");
  }
  return two_orders(sentence, reordered);
}

std::vector<OrderComparison> compare_orders(const TwoOrders& orders, const std::string& encoding,
                                            const ModelShape& shape, std::uint64_t seed) {
  std::vector<OrderComparison> comparisons;
  for (const bool causal : {false, true})
    comparisons.push_back(compared(orders, "none", shape, causal, seed));
  if (encoding == "none") return comparisons;
  const bool causal_only = std::ranges::any_of(find_encodings(encoding), &EncodingEntry::causal_only);
  if (!causal_only) comparisons.push_back(compared(orders, encoding, shape, false, seed));
  comparisons.push_back(compared(orders, encoding, shape, true, seed));
  return comparisons;
}

EncodingStudy study_sentences(const TwoOrders& orders, const std::vector<OrderComparison>& comparisons,
                              const LockedPath& out) {
  EncodingStudy study{{}, table(orders, comparisons), ""};
  const auto write = [&](const char* name, const std::string& text) {
    write_text(out / name, text);
    study.files.push_back(out / name);
  };
  write("sentences.csv", attention_csv(orders, comparisons));
  write("sentence_outputs.csv", outputs_csv(orders, comparisons));
  for (const OrderComparison& one : comparisons) {
    const auto svg = out / picture_name(one);
    const Tensor<double> maps = side_by_side(one);
    const DrawOutcome outcome = draw_heatmap(maps.view(), picture_of(orders, one), svg);
    if (outcome.drawn) study.files.push_back(svg);
    if (study.plot_error.empty()) study.plot_error = outcome.error;
  }
  return study;
}

}  // namespace ordinal::experiments

// language: the built-in default, a small generated language that needs no file. A document is an unbounded
// sequence of statements with the same distribution throughout, so a longer test asks for the same things
// from further away:
//
//   adkb␣     a word: letters by a fixed Markov chain, then a space       nearby: given by the letter before
//   =Kabd     the name K had the values a and b, and now has d            new: cannot be predicted
//   Kd        the name K is mentioned, and its value follows              recall: from the last place of K
//
// A mentioned name is drawn uniformly from those that have a value, so the distance to its source is random:
// at 64 tokens mostly within 20; at 512 tokens, one source in eighteen is further away than 64.
//
// A recall is contested if it is the first since the definition of its name and another value has also followed the
// name. Each definition lists v values in random order, so without the order of the tokens all are equally likely:
// no reader that ignores order is right in more than 1/v of contested recalls, whatever the length and the distance.
// Such a reader is mostly right in other recalls: it takes the value that has followed the
// name most often.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>
#include <span>

#include "experiments/tasks/answer_task.h"
#include "framework/core/errors.h"
#include "framework/core/random.h"
#include "framework/storage/hash.h"

namespace ordinal::experiments {
namespace {

constexpr std::uint32_t word_letters = 16;  // letters of words, and the number of values
constexpr double word_share = 0.10;         // of statements
constexpr std::size_t fewest_names = 2;     // names with a value before one is mentioned
constexpr double word_ends = 0.25;          // after each letter
constexpr Index longest = 10'000'000;
constexpr Index most_names = 26;

enum TokenClass : Index { nearby, recall, new_information };

struct LanguageOptions {
  Index names = 12;
  Index values = 5;
  double definitions = 0.1;
  void visit(OptionVisitor& v) {
    v.integer("names", names, between(2, most_names),
              "different names: with more names, each is mentioned more rarely");
    v.integer("values", values, between(1, word_letters),
              "values that a definition lists, the last one counts: with v of them, a reader that ignores "
              "order is right in at most 1/v of contested recalls");
    v.number("definitions", definitions, between(0.01, 0.8), "share of definitions in all statements");
  }
};

// The chain: after each letter, others follow with probabilities that fall geometrically in an order specific
// to that letter.
using Chain = std::array<std::array<char, word_letters>, word_letters>;

const Chain& chain() {
  static const Chain orders = [] {
    Chain all{};
    Random random({.seed = 0, .purpose = hash_name("language.chain")});
    for (auto& order : all) {
      for (std::uint32_t i = 0; i < word_letters; ++i) order[i] = static_cast<char>('a' + i);
      for (std::uint32_t i = word_letters - 1; i > 0; --i) std::swap(order[i], order[random.below(i + 1)]);
    }
    return all;
  }();
  return orders;
}

double bits(double probability) { return -std::log2(probability); }

struct Symbol {
  char letter = 0;
  Label label;
};

// Writes one document, statement after statement, and records for each symbol how well it can be predicted.
class Author {
 public:
  Author(RandomKey key, const LanguageOptions& options)
      : random_(key),
        names_(static_cast<std::uint32_t>(options.names)),
        values_(static_cast<std::uint32_t>(options.values)),
        definitions_(options.definitions) {
    key.purpose = hash_name("language.readers");
    guesses_ = Random(key);
  }

  std::vector<Symbol> write(std::size_t length) {
    while (text_.size() < length) statement();
    text_.resize(length);
    return std::move(text_);
  }

 private:
  struct Name {
    char letter = 0;
    char value = 0;
    std::size_t last = 0;                       // where its value occurred last
    bool is_fresh = false;                      // not mentioned since its definition
    std::array<Index, word_letters> seen = {};  // how often each value has followed it

    Index& seen_of(char of) { return seen[static_cast<std::size_t>(of - 'a')]; }
  };

  void put(char letter, TokenClass token_class, double oracle_bits, Index source = 0) {
    text_.push_back({letter, {.token_class = token_class, .source = source, .oracle_bits = oracle_bits}});
  }

  void statement() {
    const double kind = random_.uniform();
    if (kind < word_share) return word();
    if (known_.size() < fewest_names || kind < word_share + definitions_) return definition();
    mention();
  }

  // In a word, letter r in the order of the previous letter has probability 2^-(r+1); the last letter has the
  // same probability as the one before it.
  void word() {
    auto current = static_cast<char>('a' + random_.below(word_letters));
    put(current, new_information, bits(word_share / word_letters));
    while (random_.uniform() >= word_ends) {
      std::uint32_t rank = 0;
      while (rank + 1 < word_letters && random_.below(2) == 0) ++rank;
      current = chain()[static_cast<std::size_t>(current - 'a')][rank];
      put(current, nearby, bits(1.0 - word_ends) + std::min(rank + 1, word_letters - 1));
    }
    put(' ', nearby, bits(word_ends));
  }

  void definition() {
    put('=', new_information, bits(known_.size() < fewest_names ? 1.0 - word_share : definitions_));
    const auto letter = static_cast<char>('A' + random_.below(names_));
    put(letter, new_information, bits(1.0 / names_));
    Name& name = newest(letter);
    std::string left = letters(word_letters);  // values of one definition differ
    for (std::uint32_t i = 0; i < values_; ++i) {
      const std::uint32_t chosen = random_.below(word_letters - i);
      name.value = left[chosen];
      left.erase(chosen, 1);
      put(name.value, new_information, bits(1.0 / (word_letters - i)));
      occurred(name);
    }
    name.is_fresh = true;
  }

  // The name, moved to the end of the list.
  Name& newest(char letter) {
    const auto found = std::ranges::find(known_, letter, &Name::letter);
    if (found == known_.end()) {
      known_.push_back({letter});
    } else {
      std::rotate(found, found + 1, known_.end());
    }
    return known_.back();
  }

  // The last symbol is the value of the name.
  void occurred(Name& name) {
    name.last = text_.size() - 1;
    ++name.seen_of(name.value);
  }

  void mention() {
    const auto count =
        static_cast<std::uint32_t>(known_.size() - (values_ > 1 && follows_definition() ? 1 : 0));
    Name& name = known_[random_.below(count)];
    put(name.letter, new_information, bits((1.0 - word_share - definitions_) / count));
    put(name.value, recall, 0.0, static_cast<Index>(text_.size() - name.last));
    guess(name, text_.back().label);
    name.is_fresh = false;
    occurred(name);
  }

  // With several values, the name that has just been defined is not mentioned: its value would be the last token.
  bool follows_definition() const { return known_.back().last + 1 == text_.size() && known_.back().is_fresh; }

  // Labels a recall for readers that count the earlier values of the name and ignore their order.
  void guess(Name& name, Label& label) {
    const Index right = name.seen_of(name.value);
    const Index most = std::ranges::max(name.seen);
    const Index all = std::accumulate(name.seen.begin(), name.seen.end(), Index{0});
    label.conflict = name.is_fresh && all > right ? Conflict::contested : Conflict::uncontested;
    label.majority = right == most && draw_index(guesses_, std::ranges::count(name.seen, most)) == 0;
    label.draw = draw_index(guesses_, all) < right;
  }

  Random random_;
  Random guesses_{{}};  // of the readers, so that documents do not depend on them
  std::uint32_t names_;
  std::uint32_t values_;
  double definitions_;
  std::vector<Symbol> text_;
  std::vector<Name> known_;
};

class LanguageTask final : public Task {
 public:
  explicit LanguageTask(const LanguageOptions& options)
      : options_(options), alphabet_(alphabet_of(options)) {}

  static Alphabet alphabet_of(const LanguageOptions& options) {
    return Alphabet("=", letters(word_letters) + " =" + capitals(options.names));
  }
  const Alphabet& alphabet() const override { return alphabet_; }
  Measure measure() const override { return Measure::bits; }

  std::vector<std::string> classes() const override { return {"nearby", "recall", "new"}; }

  // The most informative metrics come first: with several values, the recalls for which order matters.
  std::vector<MetricSpec> metrics() const override {
    std::vector<MetricSpec> metrics = recalls("recall accuracy", "recall", Conflict::any);
    const std::vector<MetricSpec> contested = recalls("contested recall", "contested", Conflict::contested);
    metrics.insert(options_.values > 1 ? metrics.begin() : metrics.end(), contested.begin(), contested.end());
    for (MetricSpec& metric : std::span(metrics).first(3))
      metric.headline = metric.sources != SourceRange::any;
    MetricSpec uncontested = past("uncontested.accuracy", "uncontested recall", recall);
    uncontested.measure = Measure::accuracy;
    uncontested.conflict = Conflict::uncontested;
    MetricSpec excess = past("excess.bits", "bits per token above the oracle");
    excess.excess = true;
    for (const MetricSpec& metric :
         {uncontested, past("recall.bits", "bits per recalled token", recall),
          past("nearby.bits", "bits per nearby token (grammar)", nearby),
          past("new.bits", "bits per token of new information", new_information), excess,
          past("bits", "bits per token"), MetricSpec{.id = "bits", .name = "bits per token"},
          MetricSpec{.id = "perplexity", .name = "perplexity", .measure = Measure::perplexity}})
      metrics.push_back(metric);
    return metrics;
  }

  std::optional<Gate> gate() const override {
    return Gate{.metric = options_.values > 1 ? "contested.accuracy.past" : "recall.accuracy.past",
                .threshold = 0.95};
  }

  void check_length(Index length) const override {
    if (length >= 1 && length <= longest) return;
    throw DataError(fmt::format("task language: got length {}, expected 1 to {}", length, longest));
  }

  // Every example is the beginning of a separate document; training and validation documents come from
  // different streams.
  void example(const ExampleKey& key, Index length, std::span<Token> tokens,
               std::span<Token> targets) const override {
    const std::vector<Symbol> text = document(key, length);
    for (std::size_t t = 0; t < tokens.size(); ++t) {
      tokens[t] = alphabet().token(text[t].letter);
      targets[t] = alphabet().token(text[t + 1].letter);
    }
  }

  void labels(const ExampleKey& key, Index length, std::span<Label> labels) const override {
    const std::vector<Symbol> text = document(key, length);
    for (std::size_t t = 0; t < labels.size(); ++t) labels[t] = text[t + 1].label;
  }

  std::string describe() const override {
    return fmt::format(
        "language: the next symbol of a generated language with words, definitions of {} names and mentions "
        "of them, whose values must be recalled{}",
        options_.names,
        options_.values > 1
            ? fmt::format("; a definition lists {} values, of which the last one counts", options_.values)
            : "");
  }

  std::string data_hash() const override {
    std::string sample;
    for (const Symbol& symbol : document({.seed = 1}, 4096)) sample += symbol.letter;
    return fnv1a64_hex(std::as_bytes(std::span(sample)));
  }

 private:
  static MetricSpec past(const std::string& id, const std::string& name, Index token_class = -1) {
    return {.id = id + ".past", .name = name, .token_class = token_class, .past = true};
  }

  // The accuracy of recalls past the training length, and by the distance of the source.
  static std::vector<MetricSpec> recalls(const std::string& name, const std::string& id, Conflict conflict) {
    MetricSpec all = past(id + ".accuracy", name, recall);
    all.measure = Measure::accuracy;
    all.conflict = conflict;
    MetricSpec far = all;
    far.id = id + ".accuracy.far";
    far.sources = SourceRange::beyond;
    far.past = false;
    MetricSpec near = all;
    near.id = id + ".accuracy.near";
    near.sources = SourceRange::within;
    return {all, far, near};
  }

  std::vector<Symbol> document(const ExampleKey& key, Index length) const {
    const char* stream = key.split == Split::training ? "language.training" : "language.validation";
    Author author({key.seed, hash_name(stream), key.step, key.example}, options_);
    return author.write(static_cast<std::size_t>(length) + 1);
  }

  LanguageOptions options_;
  Alphabet alphabet_;
};

}  // namespace

std::vector<TaskEntry> language_tasks() {
  return {describe_task<LanguageTask, LanguageOptions>(
      {.name = "language",
       .summary = "a generated language with words, definitions and names to recall; needs no file",
       .definition =
           R"(A document is a sequence of statements, written without spaces between them:
  adkb_   a word (_ is a space), 10 % of statements. The first letter is any of 16, each as likely. After a letter
          the word ends with probability 1/4; otherwise letter r of that letter's own fixed order follows with
          probability 2^-(r+1), r = 0 … 15, the last one with as much as the one before it.
  =Kabd   the name K now has the value d, after a and b: as many different values as the option `values` says,
          any in any order, each as likely. A share `definitions` of statements; K is any name, each as likely.
  Kd      the name K is mentioned, and its value follows, all other statements; K is any name that has a value, each as
          likely, but with several values not the one whose definition is the statement before. As long as fewer than two
          names have a value, a definition stands in place of a mention.
A statement draws a uniform u: below 0.1 it is a word, else below 0.1 + definitions a definition, else a mention. Then
  word        the first letter, any of 16; again and again u, which ends the word if it is below 0.25, and else is
              followed by the draws of a letter: r grows from 0 by 1 while it is below 15 and any of 2 is 0
  definition  the name, any of all; each value, any of those of a, b, …, p that are left
  mention     any of the names that have a value, in the order of their last definitions
The orders of all letters are drawn once, purpose "language.chain", seed, step and example 0, letter by letter: from
a, b, …, p, for i = 15, …, 1 entry i changes places with entry (any of i + 1).
Tokens, from 0: abcdefghijklmnop =ABCDEFGHIJKLMNOPQRSTUVWXYZ (as many capitals as names)
For example: =Fkodhi=KokficFimk =EnojlpKcFiKcKcFiFiFiFiFi
Each target belongs to a class: nearby (the letters of a word after the first, and its space), recall (the value after a
mention; its source is the place where the value of that name stood last), new (all others: nobody can know them).
A recall is contested if it is the first since the definition of its name, and another value has followed the name, in a
definition or a mention. Readers that ignore order: majority takes the value that has followed the name most often, draw
any of those that have, each time as likely; ties and draws are drawn with purpose "language.readers".)",
       .direction = Direction::causal})};
}

}  // namespace ordinal::experiments

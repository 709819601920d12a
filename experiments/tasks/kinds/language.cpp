// language: a small generated language. Statements have the same distribution throughout a document, so a longer test asks for
// the same things from further away: at 64 tokens mostly within 20; at 512 tokens, one source in eighteen is further away than 64.
//
// Each definition lists v values in random order, so without the order of the tokens all are equally likely: no reader that
// ignores order is right in more than 1/v of contested recalls, whatever the length and the distance. Such a reader is mostly
// right in other recalls: it takes the value that has followed the name most often.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "experiments/tasks/answer_task.h"

namespace ordinal::experiments {
namespace {

constexpr std::uint32_t word_letters = 16;  // letters of words, and the number of values
constexpr double word_share = 0.10;         // of statements
constexpr std::size_t fewest_names = 2;     // names with a value before one is mentioned
constexpr double word_ends = 0.25;          // after each letter
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
const std::vector<std::string>& chain() {
  static const std::vector<std::string> orders = [] {
    std::vector<std::string> all(word_letters, letters(word_letters));
    Random random({.seed = 0, .purpose = hash_name("language.chain")});
    for (std::string& order : all)
      for (std::uint32_t i = word_letters - 1; i > 0; --i) std::swap(order[i], order[random.below(i + 1)]);
    return all;
  }();
  return orders;
}

double bits(double probability) { return -std::log2(probability); }

// Writes one document, statement after statement, and records for each symbol how well it can be predicted.
class Author {
 public:
  Author(Random& random, Random& readers, const LanguageOptions& options)
      : random_(random), readers_(readers), options_(options) {}

  Exercise write(Index n) {
    while (std::ssize(text_) <= n) statement();
    return beginning_of(text_, n);
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
    if (known_.size() < fewest_names || kind < word_share + options_.definitions) return definition();
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
    put('=', new_information, bits(known_.size() < fewest_names ? 1.0 - word_share : options_.definitions));
    const char letter = draw_symbol(random_, capitals(options_.names));
    put(letter, new_information, bits(1.0 / static_cast<double>(options_.names)));
    Name& name = newest(letter);
    std::string left = letters(word_letters);  // values of one definition differ
    for (Index i = 0; i < options_.values; ++i) {
      const double chance = 1.0 / static_cast<double>(left.size());
      name.value = take_symbol(random_, left);
      put(name.value, new_information, bits(chance));
      occurred(name);
    }
    name.is_fresh = true;
  }

  // The name, moved to the end of the list.
  Name& newest(char letter) {
    auto found = std::ranges::find(known_, letter, &Name::letter);
    if (found == known_.end()) found = known_.insert(found, {letter});
    std::rotate(found, found + 1, known_.end());
    return known_.back();
  }

  // The last symbol is the value of the name.
  void occurred(Name& name) {
    name.last = text_.size() - 1;
    ++name.seen_of(name.value);
  }

  void mention() {
    const auto count = std::ssize(known_) - (options_.values > 1 && follows_definition() ? 1 : 0);
    Name& name = known_[static_cast<std::size_t>(draw_index(random_, count))];
    put(name.letter, new_information,
        bits((1.0 - word_share - options_.definitions) / static_cast<double>(count)));
    put(name.value, recall, 0.0, static_cast<Index>(text_.size() - name.last));
    Label& label = text_.back().label;
    const Index right = name.seen_of(name.value);
    const Index all = guess(name.seen, right, readers_, label);
    label.conflict = name.is_fresh && all > right ? Conflict::contested : Conflict::uncontested;
    name.is_fresh = false;
    occurred(name);
  }

  // With several values, the name that has just been defined is not mentioned: its value would be the last token.
  bool follows_definition() const { return known_.back().is_fresh && known_.back().last + 1 == text_.size(); }

  Random& random_;
  Random& readers_;
  const LanguageOptions& options_;
  std::vector<Symbol> text_;
  std::vector<Name> known_;
};

MetricSpec past(const std::string& id, const std::string& name, Index token_class = -1) {
  return {.id = id + ".past", .name = name, .token_class = token_class, .past = true};
}

// The accuracy of recalls past the training length, and by the distance of the source.
std::vector<MetricSpec> recalls(const std::string& name, const std::string& id, Conflict conflict) {
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

// The most informative metrics come first: with several values, the recalls for which order matters.
std::vector<MetricSpec> metrics_of(const LanguageOptions& options) {
  std::vector<MetricSpec> metrics = recalls("recall accuracy", "recall", Conflict::any);
  const std::vector<MetricSpec> contested = recalls("contested recall", "contested", Conflict::contested);
  metrics.insert(options.values > 1 ? metrics.begin() : metrics.end(), contested.begin(), contested.end());
  metrics[1].headline = metrics[2].headline = true;
  metrics.push_back(recalls("uncontested recall", "uncontested", Conflict::uncontested).front());
  metrics.push_back(past("recall.bits", "bits per recalled token", recall));
  metrics.push_back(past("nearby.bits", "bits per nearby token (grammar)", nearby));
  metrics.push_back(past("new.bits", "bits per token of new information", new_information));
  metrics.push_back(past("excess.bits", "bits per token above the oracle"));
  metrics.back().excess = true;
  metrics.push_back(past("bits", "bits per token"));
  const std::vector<MetricSpec> plain = plain_metrics(Measure::bits);
  metrics.insert(metrics.end(), plain.begin(), plain.begin() + 2);
  return metrics;
}

Exercises language(const LanguageOptions& options) {
  return {
      .name = "language",
      .summary = fmt::format(
          "a generated language with definitions of {} names and mentions, whose values are to be recalled",
          options.names),
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
Each target belongs to a class: nearby (the letters of a word after the first, and its space), recall (the value after a
mention; its source is the place where the value of that name stood last), new (all others: nobody can know them).
A recall is contested if it is the first since the definition of its name, and another value has followed the name, in a
definition or a mention. Readers that ignore order: majority takes the value that has followed the name most often, draw
any of those that have, each time as likely; ties and draws are drawn with purpose "language.readers".)",
      .layout = Layout::labels,
      .alphabet = letters(word_letters) + " =" + capitals(options.names),
      .longest = longest_document,
      .beginning = "=",
      .measure = Measure::bits,
      .metrics = metrics_of(options),
      .gate = {.metric = options.values > 1 ? "contested.accuracy.past" : "recall.accuracy.past",
               .threshold = 0.95},
      .write = [options](Random& random, Random& readers, Index n) {
        return Author(random, readers, options).write(n);
      }};
}

}  // namespace

std::vector<TaskEntry> language_tasks() { return {answer_task(language)}; }

}  // namespace ordinal::experiments

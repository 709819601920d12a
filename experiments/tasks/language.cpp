// language: the built-in default, a small generated language that needs no file. Documents go on for ever in
// the same way, so a longer test is a fair one, and what comes next depends on what stood nearby, far away,
// and at which place:
//
//   word      letters by a fixed Markov chain, then a space                     nearby: a bigram knows it
//   bracket   ( … ) [ … ] { … } around words, nested                            which bracket closes: a stack
//   k=vw;     defines the letter k as the pair vw                               new information
//   k?vw;     asks for one of the last eight definitions                        far away: associative recall
//   <abcde>   a list of 4 to 8 letters                                          new information
//   !abcde;   recites the last list in order                                    copy: the same place in the list
//   ^edcba;   recites it backwards                                              the opposite place
//   #3c;      asks for its 3rd letter                                           counting
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>

#include "experiments/tasks/task.h"
#include "framework/core/errors.h"
#include "framework/core/random.h"
#include "framework/storage/hash.h"

namespace ordinal::experiments {
namespace {

constexpr std::uint32_t letters = 16;
constexpr std::size_t remembered_definitions = 8;
constexpr std::uint32_t shortest_list = 4;
constexpr std::uint32_t longest_list = 8;
constexpr std::uint32_t deepest = 3;
constexpr std::uint32_t burn_in = 256;  // a window begins up to so far inside its document
constexpr Index longest = 10'000'000;

const Alphabet& language_alphabet() {
  static const Alphabet alphabet(" ", "abcdefghijklmnop ()[]{}=?;<>!^#12345678");
  return alphabet;
}

// The chain: after each letter, others follow with probabilities that fall geometrically in an order of its
// own.
using Chain = std::array<std::array<char, letters>, letters>;

const Chain& chain() {
  static const Chain orders = [] {
    Chain all{};
    Random random({.seed = 0, .purpose = hash_name("language.chain")});
    for (auto& order : all) {
      for (std::uint32_t i = 0; i < letters; ++i) order[i] = static_cast<char>('a' + i);
      for (std::uint32_t i = letters - 1; i > 0; --i) std::swap(order[i], order[random.below(i + 1)]);
    }
    return all;
  }();
  return orders;
}

// Writes one document, sentence after sentence.
class Author {
 public:
  explicit Author(const RandomKey& key) : random_(key) {}

  std::string write(std::size_t length) {
    while (text_.size() < length) sentence();
    return text_;
  }

  std::size_t draw_start() { return random_.below(burn_in); }

 private:
  char letter() { return static_cast<char>('a' + random_.below(letters)); }
  std::string some_letters(std::uint32_t count) {
    std::string result;
    for (std::uint32_t i = 0; i < count; ++i) result += letter();
    return result;
  }

  void sentence() {
    const std::uint32_t kind = random_.below(100);
    if (kind < 35) return phrase(0);
    if (kind < 50) return definition();
    if (kind < 72) return question();
    if (kind < 82) return list();
    if (list_.empty()) return list();
    if (kind < 91) return recital("!", list_);
    if (kind < 97) return recital("^", {list_.rbegin(), list_.rend()});
    return item();
  }

  void word() {
    char current = letter();
    const std::uint32_t count = 2 + random_.below(4);
    for (std::uint32_t i = 0; i < count; ++i) {
      text_ += current;
      std::uint32_t rank = 0;
      while (rank + 1 < letters && random_.below(2) == 0) ++rank;  // rank r with probability 2^-(r+1)
      current = chain()[static_cast<std::size_t>(current - 'a')][rank];
    }
    text_ += ' ';
  }

  void phrase(std::uint32_t depth) {
    word();
    if (depth < deepest && random_.below(2) == 0) {
      const std::uint32_t kind = random_.below(3);
      text_ += "([{"[kind];
      phrase(depth + 1);
      text_ += ")]}"[kind];
    }
    if (random_.below(3) == 0) word();
  }

  void definition() {
    const char key = letter();
    const std::string value = some_letters(2);
    std::erase_if(definitions_, [&](const auto& known) { return known.first == key; });
    definitions_.emplace_back(key, value);
    if (definitions_.size() > remembered_definitions) definitions_.pop_front();
    text_ += fmt::format("{}={};", key, value);
  }

  void question() {
    if (definitions_.empty()) return definition();
    const auto& [key, value] = definitions_[random_.below(static_cast<std::uint32_t>(definitions_.size()))];
    text_ += fmt::format("{}?{};", key, value);
  }

  void list() {
    list_ = some_letters(shortest_list + random_.below(longest_list - shortest_list + 1));
    text_ += "<" + list_ + ">";
  }

  void recital(const char* sign, const std::string& items) { text_ += sign + items + ";"; }

  void item() {
    const std::uint32_t k = random_.below(static_cast<std::uint32_t>(list_.size()));
    text_ += fmt::format("#{}{};", k + 1, list_[k]);
  }

  Random random_;
  std::string text_;
  std::string list_;
  std::deque<std::pair<char, std::string>> definitions_;
};

class LanguageTask final : public Task {
 public:
  explicit LanguageTask(const NoOptions& /*options*/) {}

  static Alphabet alphabet_of(const NoOptions& /*options*/) { return language_alphabet(); }
  const Alphabet& alphabet() const override { return language_alphabet(); }
  Metric metric() const override { return Metric::bits_per_token; }
  Index training_length(Index train_length, std::uint64_t /*seed*/, std::uint32_t /*step*/) const override {
    return train_length;
  }

  void check_length(Index length) const override {
    if (length >= 1 && length <= longest) return;
    throw DataError(fmt::format("task language: got length {}, expected 1 to {}", length, longest));
  }

  // Every example has a document of its own; training and validation documents come from different streams.
  void example(const ExampleKey& key, Index length, std::span<Token> tokens,
               std::span<Token> targets) const override {
    const char* stream = key.split == Split::training ? "language.training" : "language.validation";
    Author author({key.seed, hash_name(stream), key.step, key.example});
    const std::size_t start = author.draw_start();
    const std::string text = author.write(start + static_cast<std::size_t>(length) + 1);
    for (std::size_t t = 0; t < tokens.size(); ++t) {
      tokens[t] = alphabet().token(text[start + t]);
      targets[t] = alphabet().token(text[start + t + 1]);
    }
  }

  std::string describe() const override {
    return "language: the next symbol of a generated language with brackets, definitions and lists, in bits "
           "per symbol";
  }

  std::string data_hash() const override {
    const std::string sample = Author({.seed = 1, .purpose = hash_name("language.training")}).write(4096);
    return fnv1a64_hex(std::as_bytes(std::span(sample)));
  }
};

}  // namespace

TaskEntry language_task() {
  return describe_task<LanguageTask>(
      {.name = "language",
       .summary = "a generated language with brackets, definitions and lists; needs no file"});
}

}  // namespace ordinal::experiments

#include "experiments/tasks/answer_task.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "framework/core/errors.h"
#include "framework/storage/hash.h"

namespace ordinal::experiments {
namespace {

constexpr char separator = '|';
constexpr char end_of_answer = '.';
constexpr char empty = '_';

std::string marks(Layout layout) {
  if (layout == Layout::tape) return {empty};
  if (layout == Layout::one_symbol) return {separator};
  return {separator, end_of_answer};
}

// As a decoder reads them; the last symbol is only predicted.
std::string text_of(const Exercise& exercise, Layout layout) {
  const std::string text = exercise.prompt + separator + exercise.answer;
  return layout == Layout::transcript ? text + end_of_answer : text;
}

// 1, 2, … in each run of letters or digits, 0 for other symbols (Abacus, McLeish et al. 2024).
std::vector<double> counted_in_runs(const std::string& text) {
  std::vector<double> positions;
  for (const char symbol : text) {
    const bool counts = std::isalnum(static_cast<unsigned char>(symbol)) != 0;
    const double last = positions.empty() ? 0.0 : positions.back();
    positions.push_back(counts ? last + 1.0 : 0.0);
  }
  return positions;
}

Exercise drawn(const Exercises& exercises, const char* stream, const ExampleKey& key, Index n) {
  Random random({key.seed, hash_name(exercises.name + stream), key.step, key.example});
  return exercises.draw(random, n);
}

}  // namespace

AnswerTask::AnswerTask(Exercises exercises)
    : exercises_(std::move(exercises)), alphabet_(alphabet_of(exercises_)) {}

Alphabet AnswerTask::alphabet_of(const Exercises& exercises) {
  const std::string prompt = drawn(exercises, ".training", {}, std::min<Index>(exercises.longest, 3)).prompt;
  return Alphabet(exercises.layout == Layout::tape ? prompt : prompt + separator,
                  exercises.alphabet + marks(exercises.layout));
}

Index AnswerTask::seq_len(Index length) const {
  const Index without_end = exercises_.prompt_length(length) + exercises_.answer_length(length);
  return exercises_.layout == Layout::transcript ? without_end + 1 : without_end;
}

void AnswerTask::check_length(Index length) const {
  if (length >= 1 && length <= exercises_.longest) return;
  throw DataError(
      fmt::format("task {}: got length {}, expected 1 to {}", exercises_.name, length, exercises_.longest));
}

// An example has room for what its definition says, and a decoder has no token to fill up the rest.
Exercise AnswerTask::exercise(const ExampleKey& key, Index length) const {
  Exercise one = drawn(exercises_, key.split == Split::training ? ".training" : ".validation", key, length);
  const Index prompt = exercises_.prompt_length(length);
  const Index answer = exercises_.answer_length(length);
  const bool tape = exercises_.layout == Layout::tape;
  const Index missing = answer - std::ssize(one.answer);
  if (std::ssize(one.prompt) == prompt && (missing == 0 || (tape && missing > 0))) return one;
  throw DataError(fmt::format(
      "task {}: got a prompt and an answer of {} and {} symbols at length {}, expected {} and {}{}, as its "
      "prompt_length and answer_length say",
      exercises_.name, one.prompt.size(), one.answer.size(), length, prompt, tape ? "at most " : "", answer));
}

void AnswerTask::example(const ExampleKey& key, Index length, std::span<Token> tokens,
                         std::span<Token> targets) const {
  const Exercise one = exercise(key, length);
  const std::size_t asked = one.prompt.size();
  const bool tape = exercises_.layout == Layout::tape;
  const std::vector<Token> text =
      alphabet_.encode(tape ? one.prompt + one.answer : text_of(one, exercises_.layout));
  const Token blank = tape ? alphabet_.token(empty) : 0;
  std::ranges::fill(targets, ignore_index);
  for (std::size_t t = 0; t < tokens.size(); ++t) {
    tokens[t] = tape && t >= asked ? blank : text[t];
    const std::size_t predicted = tape ? t : t + 1;
    if (t >= asked && predicted < text.size()) targets[t] = text[predicted];
  }
}

std::vector<double> AnswerTask::positions(std::span<const Token> tokens, const std::string& ids) const {
  if (!exercises_.coupled) return {};
  const std::string text = alphabet_.decode(tokens);
  if (ids != "coupled") return counted_in_runs(text);
  const auto prompt = static_cast<Index>(std::min(text.find(separator), text.size() - 1));
  std::vector<double> positions;
  for (Index i = 0; i < std::ssize(text); ++i)
    positions.push_back(static_cast<double>(exercises_.coupled(prompt, i)));
  return positions;
}

std::string AnswerTask::describe() const {
  return fmt::format("{}: {}, scored by the share of right symbols of the answer", exercises_.name,
                     exercises_.summary);
}

// The data are the definition, so they change with it.
std::string AnswerTask::data_hash() const {
  std::string sample = exercises_.alphabet;
  for (std::uint32_t n = 1; n <= std::min<Index>(exercises_.longest, 32); ++n) {
    const Exercise one = exercise({.example = n}, n);
    sample += fmt::format("\n{}{}{}", one.prompt, separator, one.answer);
  }
  return fnv1a64_hex(std::as_bytes(std::span(sample)));
}

TaskEntry answer_entry(const Exercises& exercises) {
  const bool tape = exercises.layout == Layout::tape;
  const Exercise one = drawn(exercises, ".training", {}, 8);
  const std::string example = tape ? fmt::format("{}{}, to be answered by {}", one.prompt,
                                                 repeated(exercises.answer_length(8), empty), one.answer)
                                   : text_of(one, exercises.layout);
  return {
      .name = exercises.name,
      .summary = exercises.summary,
      .definition = fmt::format("{}\nTokens, from 0: {}{}\nFor example, at length 8: {}",
                                exercises.definition, exercises.alphabet, marks(exercises.layout), example),
      .direction = tape ? Direction::bidirectional : Direction::causal};
}

Draw any_of(std::string symbols, std::function<std::string(std::string)> answer) {
  return [symbols = std::move(symbols), answer = std::move(answer)](Random& random, Index n) {
    const std::string text = draw_symbols(random, n, symbols);
    return Exercise{text, answer(text)};
  };
}

std::string letters(Index count) {
  const std::string small = "abcdefghijklmnopqrstuvwxyz";
  return (small + capitals(26) + digits(10)).substr(0, static_cast<std::size_t>(count));
}

std::string capitals(Index count) {
  return std::string("ABCDEFGHIJKLMNOPQRSTUVWXYZ").substr(0, static_cast<std::size_t>(count));
}

std::string digits(Index count) {
  return std::string("0123456789").substr(0, static_cast<std::size_t>(count));
}

std::string repeated(Index count, char symbol) {
  return std::string(static_cast<std::size_t>(count), symbol);
}

std::string sorted(std::string text) {
  std::ranges::sort(text);
  return text;
}

std::string reversed(std::string text) { return {text.rbegin(), text.rend()}; }

Index sum_of_digits(const std::string& text) {
  Index sum = 0;
  for (const char digit : text) sum += digit - '0';
  return sum;
}

std::string digit(Index value, Index modulus) {
  return {static_cast<char>('0' + (value % modulus + modulus) % modulus)};
}

char draw_symbol(Random& random, std::string_view symbols) {
  return symbols[random.below(static_cast<std::uint32_t>(symbols.size()))];
}

char take_symbol(Random& random, std::string& symbols) {
  const char taken = draw_symbol(random, symbols);
  std::erase(symbols, taken);
  return taken;
}

std::string draw_symbols(Random& random, Index count, std::string_view symbols) {
  std::string text = repeated(count, ' ');
  for (char& symbol : text) symbol = draw_symbol(random, symbols);
  return text;
}

Index draw_index(Random& random, Index count) {
  return static_cast<Index>(random.below(static_cast<std::uint32_t>(count)));
}

}  // namespace ordinal::experiments

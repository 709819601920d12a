#include "experiments/tasks/answer_task.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <numeric>
#include <utility>

#include "experiments/process/hash.h"
#include "framework/core/errors.h"

namespace ordinal::experiments {
namespace {

constexpr char separator = '|';
constexpr char end_of_answer = '.';
constexpr char beginning = '^';

bool has_end(const Exercises& exercises) {
  return exercises.layout == Layout::transcript && (exercises.framed || exercises.answer_length(2) > 1);
}

// The symbols that a layout adds to an alphabet.
std::string marks(const Exercises& exercises) {
  if (exercises.layout == Layout::labels) return "";
  if (exercises.layout == Layout::tape) return {blank};
  const std::string symbols =
      has_end(exercises) ? std::string{separator, end_of_answer} : std::string{separator};
  return symbols + (exercises.framed ? std::string{beginning} : "");
}

// The number of symbols in the longest answer to a prompt of length n.
Index answer_cells(const Exercises& exercises, Index n) {
  return exercises.layout == Layout::labels ? exercises.prompt_length(n) : exercises.answer_length(n);
}

// What a model reads, and what it is asked at each of these symbols.
struct Reading {
  std::string read;
  std::string asked;
};

// At length n. On a tape, the answer may be shorter than the room for it.
Reading laid_out(const Exercises& exercises, const Exercise& one, Index n) {
  if (exercises.layout == Layout::labels) return {one.prompt, one.answer};
  const std::string asked = repeated(std::ssize(one.prompt), blank) + one.answer;
  if (exercises.layout == Layout::tape) {
    const Index cells = answer_cells(exercises, n);
    return {one.prompt + repeated(cells, blank), asked + repeated(cells - std::ssize(one.answer), blank)};
  }
  const std::string end = has_end(exercises) ? std::string{end_of_answer} : "";
  const std::string read = one.prompt + separator + (has_end(exercises) ? one.answer : "");
  const std::string mark = exercises.framed ? std::string{beginning} : "";
  const Index rest =
      exercises.prompt_length(n) + exercises.answer_length(n) - std::ssize(one.prompt + one.answer);
  return {mark + read + repeated(rest, separator),
          repeated(std::ssize(mark), blank) + asked + end + repeated(rest, blank)};
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

Random stream(const Exercises& exercises, const ExampleKey& key, const std::string& purpose = "") {
  const std::string split = key.split == Split::training ? ".training" : ".validation";
  return Random({key.seed, hash_name(exercises.name + split + purpose), key.step, key.example});
}

// The length of an example of length n.
Index own_length(const Exercises& exercises, const ExampleKey& key, Index n) {
  if (exercises.range == 1) return n;
  Random random = stream(exercises, key, ".lengths");
  return n - draw_index(random, std::min(exercises.range, n));
}

Exercise drawn(const Exercises& exercises, const ExampleKey& key, Index n) {
  Random random = stream(exercises, key);
  if (!exercises.write) return exercises.draw(random, n);
  Random readers({key.seed, hash_name(exercises.name + ".readers"), key.step, key.example});
  return exercises.write(random, readers, n);
}

// Of the positions that a task gives its tokens; see AnswerTask::position_ids().
constexpr auto positions_definition = R"(
Positions for the scheme task, before its shift (--list task):
  ids = coupled   c as above; symbols that belong together share one (position coupling, Cho et al. 2024); the default
  ids = abacus    letters and digits are counted from 1 in each run of them; other tokens have no position
                  (Abacus, McLeish et al. 2024)
The papers test without a shift.)";

Alphabet alphabet_of(const Exercises& exercises) {
  const std::string symbols = exercises.alphabet + marks(exercises);
  if (exercises.write) return Alphabet(exercises.beginning, symbols);
  const std::string prompt = drawn(exercises, {}, std::min<Index>(exercises.longest, 3)).prompt;
  return Alphabet(exercises.layout == Layout::transcript ? prompt + separator : prompt, symbols);
}

}  // namespace

AnswerTask::AnswerTask(Exercises exercises)
    : exercises_(std::move(exercises)), alphabet_(alphabet_of(exercises_)) {}

Index AnswerTask::seq_len(Index length) const {
  const Index prompt = exercises_.prompt_length(length);
  if (exercises_.layout == Layout::labels) return prompt;
  return prompt + exercises_.answer_length(length) + (has_end(exercises_) ? 1 : 0) +
         (exercises_.framed ? 1 : 0);
}

void AnswerTask::check_length(Index length) const {
  if (length >= 1 && length <= exercises_.longest) return;
  throw DataError(
      fmt::format("task {}: got length {}, expected 1 to {}", exercises_.name, length, exercises_.longest));
}

// An example has the length that its definition gives, and a decoder has no padding token.
Exercise AnswerTask::exercise(const ExampleKey& key, Index longest) const {
  const Index length = own_length(exercises_, key, longest);
  Exercise one = drawn(exercises_, key, length);
  const Index prompt = exercises_.prompt_length(length);
  const Index answer = answer_cells(exercises_, length);
  const bool tape = exercises_.layout == Layout::tape;
  const Index missing = answer - std::ssize(one.answer);
  if (std::ssize(one.prompt) == prompt && (missing == 0 || (tape && missing > 0))) return one;
  throw DataError(fmt::format(
      "task {}: got a prompt and an answer of {} and {} symbols at length {}, expected {} and {}{}, as its "
      "prompt_length and answer_length say",
      exercises_.name, one.prompt.size(), one.answer.size(), length, prompt, tape ? "at most " : "", answer));
}

std::vector<Label> AnswerTask::example(const ExampleKey& key, Index length, std::span<Token> tokens,
                                       std::span<Token> targets) const {
  const Exercise one = exercise(key, length);
  const auto [read, asked] = laid_out(exercises_, one, length);
  for (std::size_t t = 0; t < read.size(); ++t) {
    tokens[t] = alphabet_.token(read[t]);
    targets[t] = asked[t] == blank ? ignore_index : alphabet_.token(asked[t]);
  }
  return one.labels;
}

std::vector<std::string> AnswerTask::position_ids() const {
  return exercises_.coupled ? std::vector<std::string>{"coupled", "abacus"} : std::vector<std::string>();
}

std::vector<double> AnswerTask::positions(std::span<const Token> tokens, const std::string& ids) const {
  const std::string text = alphabet_.symbols_of(tokens);
  if (ids == "abacus") return counted_in_runs(text);
  const auto prompt = static_cast<Index>(std::min(text.find(separator), text.size() - 1));
  std::vector<double> positions;
  for (Index i = 0; i < std::ssize(text); ++i)
    positions.push_back(static_cast<double>(exercises_.coupled(prompt, i)));
  return positions;
}

std::string AnswerTask::describe() const {
  return fmt::format(
      "{}: {}, scored {}", exercises_.name, exercises_.summary,
      measure() == Measure::bits ? "in bits per token" : "by the share of right symbols of the answer");
}

// The definition is the data, so the hash changes with it.
std::string AnswerTask::data_hash() const {
  std::string sample = exercises_.write ? exercise({.seed = 1}, 4097).prompt : exercises_.alphabet;
  for (std::uint32_t n = 1; !exercises_.write && n <= std::min<Index>(exercises_.longest, 32); ++n) {
    const Exercise one = exercise({.example = n}, n);
    sample += fmt::format("\n{}{}{}", one.prompt, separator, one.answer);
  }
  return fnv1a64_hex(std::as_bytes(std::span(sample)));
}

TaskEntry answer_entry(const Exercises& exercises, bool has_options) {
  const Index length = exercises.write ? 48 : 8;
  const Exercise one = drawn(exercises, {}, length);
  const auto [read, asked] = laid_out(exercises, one, length);
  const std::string example = exercises.layout == Layout::transcript
                                  ? read + asked.back()
                                  : fmt::format("{}, to be answered by {}", read, one.answer);
  return {.name = exercises.name,
          .summary = exercises.summary,
          .definition = fmt::format("{}{}\nTokens, from 0{}: {}{}\nFor example, at length {}: {}",
                                    exercises.definition, exercises.coupled ? positions_definition : "",
                                    has_options ? " with the default options" : "", exercises.alphabet,
                                    marks(exercises), length, example),
          .direction = exercises.layout == Layout::tape ? Direction::bidirectional : Direction::causal,
          .writes = exercises.layout != Layout::labels || exercises.write};
}

Exercise beginning_of(const std::vector<Symbol>& document, Index n) {
  Exercise one;
  one.labels.reserve(static_cast<std::size_t>(n));
  for (auto next = document.begin() + 1; next <= document.begin() + n; ++next) {
    one.prompt += (next - 1)->letter;
    one.answer += next->label.token_class >= 0 ? next->letter : blank;
    one.labels.push_back(next->label);
  }
  return one;
}

Index guess(std::span<const Index> seen, Index right, Random& readers, Label& label) {
  const Index most = std::ranges::max(seen);
  const Index all = std::accumulate(seen.begin(), seen.end(), Index{0});
  label.majority = right == most && draw_index(readers, std::ranges::count(seen, most)) == 0;
  label.draw = draw_index(readers, all) < right;
  return all;
}

Draw any_of(std::string symbols, std::function<std::string(std::string)> answer) {
  return [symbols = std::move(symbols), answer = std::move(answer)](Random& random, Index n) {
    const std::string text = draw_symbols(random, n, symbols);
    return Exercise{text, answer(text)};
  };
}

std::string letters(Index count) {
  const std::string small = "abcdefghijklmnopqrstuvwxyz";
  std::string latin;
  for (int code = 0xA1; code <= 0xFF; ++code)
    if (code != 0xAD) latin += static_cast<char>(code);
  return (small + capitals(26) + digits(10) + latin).substr(0, static_cast<std::size_t>(count));
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

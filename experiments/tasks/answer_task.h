// Tasks that give a prompt and ask for its answer; only the answer carries loss. Such a task only defines how its
// exercises are drawn. kinds/letters.cpp holds the shortest ones, kinds/states.cpp those with an answer at each symbol, and
// kinds/latest.cpp one of documents.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/tasks/task.h"
#include "framework/core/random.h"

namespace ordinal::experiments {

/// A prompt and its answer, in symbols.
struct Exercise {
  std::string prompt;
  std::string answer;
  std::vector<Label> labels = {};  // of each symbol of the answer, in a document
};

/// A position of an answer without a target, and the empty token of a tape.
inline constexpr char blank = '_';

/// What a model reads and where it answers.
enum class Layout {
  transcript,  // a decoder: prompt | answer .    each answer symbol, and the end unless all answers are one symbol
  tape,        // an encoder: prompt ____         the answer in place of empty tokens (Delétang et al. 2023)
  labels,  // a decoder: prompt               at symbol i of the prompt, symbol i of an answer of the same length
};

using Draw = std::function<Exercise(Random&, Index n)>;

/// The lengths n and 1.
constexpr Index as_n(Index n) { return n; }
constexpr Index single(Index /*n*/) { return 1; }

inline constexpr Index longest_prompt = 100'000;
inline constexpr Index longest_document = 10'000'000;

/// The definition of a task.
struct Exercises {
  std::string name = {};
  std::string summary = {};     // one line
  std::string definition = {};  // in words: what is drawn, in which order, and what is asked
  Layout layout = Layout::transcript;
  std::string alphabet = {};  // all symbols of prompts and answers, in the order of their tokens
  /// Number of symbols in every prompt of length n, and in its longest answer (labels: as many as in the prompt).
  std::function<Index(Index n)> prompt_length = as_n;
  std::function<Index(Index n)> answer_length = single;
  Index longest = longest_prompt;  // n
  Index range = 1;  // of lengths: an example of length n has any of n - range + 1 … n, and padding after it
  bool framed = false;  // a transcript begins with ^, and the end is asked after every answer
  /// Draws a prompt of length n and its answer, with the numbers of symbols given above. On a tape an answer may be
  /// shorter; positions after it have no target.
  Draw draw = {};
  /// The coupled position of symbol i of prompt | answer: from 1, the same for symbols that belong together (Cho et al. 2024,
  /// §3). A task with it gives its tokens positions. Optional.
  std::function<Index(Index prompt_length, Index i)> coupled = {};
  std::string beginning = {};  // of generated documents without a prompt
  Measure measure = Measure::accuracy;
  std::vector<MetricSpec> metrics = plain_metrics(Measure::accuracy);
  Gate gate = {.metric = "accuracy", .threshold = 0.9};
  /// For documents, in place of draw and with Layout::labels: the first n symbols of the document that `random` gives, see
  /// beginning_of(). `readers` is for guess(). Each example is a document of its own, and training uses one length.
  std::function<Exercise(Random& random, Random& readers, Index n)> write = {};
};

class AnswerTask : public Task {
 public:
  explicit AnswerTask(Exercises exercises);

  const Alphabet& alphabet() const override { return alphabet_; }
  Measure measure() const override { return exercises_.measure; }
  std::vector<MetricSpec> metrics() const override { return exercises_.metrics; }
  std::optional<Gate> gate() const override { return exercises_.gate; }
  bool varies_length() const override { return !exercises_.write && exercises_.range == 1; }
  Index seq_len(Index length) const override;
  void check_length(Index length) const override;
  std::vector<Label> example(const ExampleKey& key, Index length, std::span<Token> tokens,
                             std::span<Token> targets) const override;
  std::vector<std::string> position_ids() const override;
  std::vector<double> positions(std::span<const Token> tokens, const std::string& ids) const override;
  std::string describe() const override;
  std::string data_hash() const override;

 private:
  Exercise exercise(const ExampleKey& key, Index longest) const;

  Exercises exercises_;
  Alphabet alphabet_;
};

/// Name, summary, direction, and the definition with the tokens and an example, both of the default options if there are any.
TaskEntry answer_entry(const Exercises& exercises, bool has_options);

/// The entry of a task whose exercises depend on options.
template <typename Options>
TaskEntry answer_task(Exercises (*define)(const Options&)) {
  return describe_task<Options>(
      answer_entry(define({}), !specs_of<Options>().empty()),
      [define](const Options& options) { return std::make_unique<AnswerTask>(define(options)); });
}

/// A symbol of a document, and what is known about it as a target.
struct Symbol {
  char letter = 0;
  Label label = {};
};

/// The first n symbols of a document. Each is asked for the next one, if that has a class.
Exercise beginning_of(const std::vector<Symbol>& document, Index n);

/// Labels a target for readers that ignore order: they know how often each answer was seen before, `right` times the right
/// one. Returns how often any was.
Index guess(std::span<const Index> seen, Index right, Random& readers, Label& label);

/// Draws n symbols uniformly from `symbols`, from the first to the last; the answer is a function of them.
Draw any_of(std::string symbols, std::function<std::string(std::string)> answer);

/// letters(): the first `count` lower-case letters, then capital letters, digits, and ¡ to ÿ of Latin-1 without its soft hyphen:
/// 156. capitals(), digits(): the first `count` of those alone. Each returns at most all of them.
std::string letters(Index count);
std::string capitals(Index count);
std::string digits(Index count);

std::string repeated(Index count, char symbol);
std::string sorted(std::string text);
std::string reversed(std::string text);
Index sum_of_digits(const std::string& text);
/// The digit value mod modulus; modulus is at most 10.
std::string digit(Index value, Index modulus);

/// Draws one of `symbols` uniformly; the same, also removing it from `symbols`; a string of `count` such symbols, from
/// first to last.
char draw_symbol(Random& random, std::string_view symbols);
char take_symbol(Random& random, std::string& symbols);
std::string draw_symbols(Random& random, Index count, std::string_view symbols);
/// Draws a whole number in 0 … count - 1.
Index draw_index(Random& random, Index count);

}  // namespace ordinal::experiments

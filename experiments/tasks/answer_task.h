// Tasks that give a prompt and ask for its answer; only the answer carries loss. Such a task only says how its
// exercises are drawn: sort.cpp is a short one.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "experiments/tasks/task.h"
#include "framework/core/random.h"

namespace ordinal::experiments {

/// A prompt and its answer, in symbols.
struct Exercise {
  std::string prompt;
  std::string answer;
};

/// What a model reads and where it answers.
enum class Layout {
  transcript,  // a decoder: prompt | answer .    each symbol of the answer, and the end, from what stands before it
  one_symbol,  // a decoder: prompt | answer      the same for answers of a single symbol, which need no end
  tape,        // an encoder: prompt ____         the answer in place of empty tokens (Delétang et al. 2023)
};

/// The definition of a task. A struct that derives from it also holds the options of the task.
struct Exercises {
  virtual ~Exercises() = default;
  void visit(OptionVisitor& /*visitor*/) {}

  virtual std::string name() const = 0;
  virtual std::string summary() const = 0;  // one line
  virtual Layout layout() const = 0;
  /// All symbols of prompts and answers, in the order of their tokens.
  virtual std::string alphabet() const = 0;
  /// Symbols of every prompt of length n, and of the longest answer to one.
  virtual Index prompt_length(Index n) const { return n; }
  virtual Index answer_length(Index n) const = 0;
  /// The longest n.
  virtual Index longest() const { return 100'000; }
  /// A prompt of length n and its answer, with as many symbols as said above. On a tape an answer may be shorter, and
  /// nothing is asked after it.
  virtual Exercise draw(Random& random, Index n) const = 0;
  /// For PositionScheme::Kind::task, ids = coupled: a number from 1 for each symbol of prompt | answer, the same for
  /// symbols that belong together (Cho et al. 2024, §3). Empty: the task has none.
  virtual std::vector<Index> coupled(const Exercise& /*exercise*/) const { return {}; }
};

/// With answers of one symbol.
struct Questions : Exercises {
  Layout layout() const override { return Layout::one_symbol; }
  Index answer_length(Index /*n*/) const override { return 1; }
};

class AnswerTask : public Task {
 public:
  explicit AnswerTask(std::unique_ptr<const Exercises> exercises);

  static Alphabet alphabet_of(const Exercises& exercises);
  const Alphabet& alphabet() const override { return alphabet_; }
  Measure measure() const override { return Measure::accuracy; }
  bool varies_length() const override { return true; }
  Index seq_len(Index length) const override;
  void check_length(Index length) const override;
  void example(const ExampleKey& key, Index length, std::span<Token> tokens,
               std::span<Token> targets) const override;
  std::vector<double> positions(std::span<const Token> tokens, const std::string& ids) const override;
  std::string describe() const override;
  std::string data_hash() const override;

 private:
  Exercise exercise(const ExampleKey& key, Index length) const;

  std::unique_ptr<const Exercises> exercises_;
  Alphabet alphabet_;
};

/// The entry without its options: `definition` and an example of an exercise.
TaskEntry answer_entry(const Exercises& exercises, const std::string& definition);

/// The entry of a task that is defined by `Definition`, which derives from Exercises. Its `definition` says in
/// words what is drawn, in which order, and what is asked.
template <typename Definition>
TaskEntry answer_task(const std::string& definition) {
  struct Defined final : AnswerTask {
    explicit Defined(const Definition& exercises) : AnswerTask(std::make_unique<Definition>(exercises)) {}
  };
  return describe_task<Defined, Definition>(answer_entry(Definition(), definition));
}

/// The first `count` lower-case letters, capital letters or digits; as many as there are at most.
std::string letters(Index count);
std::string capitals(Index count);
std::string digits(Index count);

/// One of `symbols`, each as likely; and a string of `count` of them, from the first to the last.
char draw_symbol(Random& random, std::string_view symbols);
std::string draw_symbols(Random& random, Index count, std::string_view symbols);
/// A whole number in 0 … count - 1.
Index draw_index(Random& random, Index count);

}  // namespace ordinal::experiments

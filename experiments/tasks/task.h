// A task generates examples as a pure function of (seed, step, example). The same key gives the
// same example, independent of earlier calls and of the number of threads. To add a task, write one file and
// one line in tasks.inc; see kinds/letters.cpp.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "experiments/tasks/alphabet.h"
#include "experiments/tasks/metric.h"
#include "framework/core/part.h"
#include "framework/core/registry.h"
#include "framework/positional/position_scheme.h"
#include "framework/training/batch.h"

namespace ordinal::experiments {

enum class Split { training, validation };

/// Which example: the step of training (or the number of the evaluation batch) and the index in the batch.
struct ExampleKey {
  Split split = Split::training;
  std::uint64_t seed = 0;
  std::uint32_t step = 0;
  std::uint32_t example = 0;
};

/// What a model may see for a task to make sense. causal: only earlier tokens, because the targets are the next
/// tokens. bidirectional: all tokens, because the answer depends on later ones. any: both work.
enum class Direction { any, causal, bidirectional };

class Task {
 public:
  virtual ~Task() = default;

  /// The meaning of tokens; every token and target that is not ignore_index lies in [0, alphabet().size()).
  virtual const Alphabet& alphabet() const = 0;

  /// Tokens that the model sees for a task length (for `copy`, length n takes 2n + 1 tokens).
  virtual Index seq_len(Index length) const { return length; }

  /// Whether training draws a length from 1…train_length for each batch instead of always using train_length.
  /// Used unless task.lengths is `fixed` or `uniform`.
  virtual bool varies_length() const { return false; }

  /// Writes example `key` of `length`: tokens and targets both hold seq_len(length) entries. Returns what it knows about
  /// each target, or nothing.
  virtual std::vector<Label> example(const ExampleKey& key, Index length, std::span<Token> tokens,
                                     std::span<Token> targets) const = 0;

  /// How many different evaluation examples of this length there are; a large number if unlimited.
  virtual Index evaluation_examples(Index /*length*/) const { return Index{1} << 31; }

  /// Throws DataError, naming the task and the longest possible length, if it has no examples of `length`.
  virtual void check_length(Index length) const = 0;

  /// Whether predictions are scored in bits or by accuracy.
  virtual Measure measure() const = 0;

  /// The metrics; rows are compared in those marked as headlines, or else in the first.
  virtual std::vector<MetricSpec> metrics() const { return plain_metrics(measure()); }

  /// When a model has learned the task. By default, in its first metric: a share of 0.9, or fewer bits than the reader bigram.
  virtual std::optional<Gate> gate() const;

  /// The names of the positions that the task gives its tokens for the scheme `task`; its option `ids` chooses, by default
  /// the first.
  virtual std::vector<std::string> position_ids() const { return {}; }

  /// The positions with one of these names, for the tokens of one example: 1, 2, …, and 0 for a token without one.
  virtual std::vector<double> positions(std::span<const Token> /*tokens*/, const std::string& /*ids*/) const {
    return {};
  }

  /// What makes its scores doubtful: "; " and a clause; empty if nothing is known to.
  virtual std::string doubt() const { return ""; }

  /// One line for the plan and the report: what is learned, how it is scored, and doubt().
  virtual std::string describe() const = 0;

  /// Hash (hex) of the data that the task reads, for the manifest; of its definition if it reads none.
  virtual std::string data_hash() const = 0;
};

/// One entry of the registry: describes a task and builds it.
struct TaskEntry {
  std::string name;
  std::string summary;          // one line
  std::string definition = {};  // what examples look like, for --list NAME; lines of up to 110 characters
  Direction direction = Direction::any;
  bool writes = true;  // whether a causal model's answer is the next token of its input
  // Of a task that reads files, if they do not depend on them:
  std::optional<Alphabet> alphabet = {};
  std::vector<MetricSpec> metrics = {};

  // Filled in by describe_task().
  std::vector<OptionSpec> options = {};
  std::function<std::unique_ptr<Task>(const Part&)> build = {};
  std::function<bool(const Part&)> lacks_file = {};
};

/// The entry with its options and builders. `make` takes an Options. For a task that reads files, Options::lacks_file() says
/// whether it needs a file and got none.
template <typename Options, typename Make>
TaskEntry describe_task(TaskEntry entry, Make make) {
  entry.options = specs_of<Options>();
  entry.build = [=](const Part& part) { return make(read_options<Options>(part.name, part.options)); };
  entry.lacks_file = [](const Part& part) {
    [[maybe_unused]] const auto options = read_options<Options>(part.name, part.options);
    if constexpr (requires { options.lacks_file(); }) return options.lacks_file();
    return false;
  };
  return entry;
}

/// The same for a class SomeTask with a constructor (const Options&).
template <typename SomeTask, typename Options = NoOptions>
TaskEntry describe_task(TaskEntry entry) {
  return describe_task<Options>(std::move(entry),
                                [](const Options& options) { return std::make_unique<SomeTask>(options); });
}

/// All tasks that can be named, in the order of tasks.inc.
Registry<TaskEntry>& tasks();

/// Builds the task that "copy(symbols=8)" names. Throws ConfigError for an unknown name or option, and
/// DataError for a file that cannot be used.
std::unique_ptr<Task> make_task(const Part& part);
std::unique_ptr<Task> make_task(const std::string& text);

/// The alphabet of a task, without reading its data. Throws ConfigError like make_task.
Alphabet task_alphabet(const Part& part);

/// The metrics of a task, without reading its data. Throws ConfigError like make_task.
std::vector<MetricSpec> task_metrics(const Part& part);

/// Whether a task with these options needs a file and got none. Throws ConfigError like make_task.
bool lacks_file(const Part& part);

/// Examples and what is known about their targets: a label for each, or none at all.
struct Examples {
  Batch batch;
  std::vector<Label> labels = {};
};

/// Examples first_example … first_example + size - 1, all of one length; the batch alone.
Examples make_examples(const Task& task, Split split, std::uint64_t seed, std::uint32_t step, Index size,
                       Index length, std::uint32_t first_example = 0);
Batch make_batch(const Task& task, Split split, std::uint64_t seed, std::uint32_t step, Index size,
                 Index length, std::uint32_t first_example = 0);

/// The name of the positions that the scheme `task` takes from the task. Throws ConfigError if the task gives none with it.
std::string ids_of(const PositionScheme& scheme, const Task& task);

/// Adds the positions that the scheme takes from the task, if any. Throws like ids_of().
Batch with_positions(Batch batch, const Task& task, const PositionScheme& scheme);

}  // namespace ordinal::experiments

// Readers: rules without a model, whose scores are lines in tables and plots to compare models with. To add one, write one file in
// readers/ and one line in readers.inc; see readers/oracle.cpp.
#pragma once

#include <cmath>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "experiments/tasks/task.h"

namespace ordinal::experiments {

/// A target, and what comes before it.
struct Question {
  std::span<const Token> before;  // the tokens of its sequence, up to the one at whose place it is asked
  Token target = 0;
  Label label = {};        // empty if the task labels none
  Index train_tokens = 0;  // in a training sequence
};

/// What a reader says of a target.
struct TargetScore {
  double loss = INFINITY;        // in nats; without a value, it gives no probabilities
  std::optional<bool> hit = {};  // without a value, it cannot say
};

using Read = std::function<TargetScore(const Question&)>;

/// What a reader answers from: tokens in any order, tokens in their order, where the answer stands, or how the task makes its targets.
enum class Knows { counts, order, sources, generator };

struct Reader {
  std::string name;
  Knows knows = Knows::counts;
  std::function<Read(const Task&, Index train_length)> build;
  // Its row also names this part of the tokens of a training sequence: "last 64" for 1, "last 16" for 4; 0: it does not.
  Index shows_part = 0;
};

/// The `build` of a reader that is the same for all tasks.
inline auto always(const Read& read) {
  return [read](const Task&, Index) { return read; };
}

/// All readers, in the order of readers.inc.
Registry<Reader>& readers();
/// That of a row, such as "last 64" or "unigram of copy", or null.
const Reader* reader_of(const std::string& row);

/// Whether the reader of a row knows at most this.
bool knows_at_most(const std::string& row, Knows most);

/// Whether a reader's row is about a task. A row that names none is about the only task that there is.
bool is_about(const std::string& row, const std::string& task);

}  // namespace ordinal::experiments

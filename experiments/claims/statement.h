// What a claim says, as an inequality or approximate equality over measured quantities:
//
//   perplexity(sinusoidal, 2x) <= 1.25 * perplexity(sinusoidal, 1x)
//   bits.past(alibi, 2x) < bits.past(rope, 2x) < bits.past(sinusoidal, 2x) and fails(learned, 2x)
//   bits(learned, 1x) = bits(sinusoidal, 1x) within 0.05
//   accuracy(sinusoidal@randomized, unseen) >= 0.95
//   exact(rope, 2x) >= 0.9 in most seeds              (each comparison of the chain that ends here)
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "experiments/results/result.h"

namespace ordinal::experiments {

/// metric(row, length) or metric(row, length, condition). The metric is one of the task's metrics,
/// perplexity if the task is scored in bits, or
///   learned         1 if a seed learned the training length, else 0
///   gradient_norm   mean norm of the gradient before clipping, over the logged steps of training
/// The last two take no length.
/// A length is 128, 2x, or `unseen`: the mean over all tested lengths past the training length.
struct Quantity {
  std::string metric = {};
  std::string row = {};
  std::string length = {};  // empty for a metric of the training
  std::string condition = trained_condition;
  Index column = 0;  // in the statement, from 1
};

/// Whether a metric describes the training as a whole: learned, gradient_norm.
bool is_of_training(const std::string& metric);

/// factor * quantity, or a number.
struct Term {
  double factor = 1.0;
  std::optional<Quantity> quantity = {};
};

/// A comparison of two sums of terms.
struct Relation {
  enum class Kind { less, greater, equal };
  Kind kind = Kind::less;
  bool or_equal = false;  // <= or >=
  std::vector<Term> left = {};
  std::vector<Term> right = {};
  double margin = 0.0;         // for `equal`
  bool in_most_seeds = false;  // also of a row that few seeds learned
};

/// All of them must hold.
struct Statement {
  std::vector<Relation> relations;
  std::vector<Quantity> failures;  // fails(row, length): the row cannot run at this length
};

/// Throws ConfigError with a one-line message that shows the column, if the text is not a statement.
Statement parse_statement(const std::string& text);

/// All quantities in a statement's relations.
std::vector<Quantity> quantities_of(const Statement& statement);

}  // namespace ordinal::experiments

// What a claim says, as an inequality or approximate equality over measured quantities:
//
//   perplexity(sinusoidal, 2x) <= 1.25 * perplexity(sinusoidal, 1x)
//   bits.past(alibi, 2x) < bits.past(rope, 2x) < bits.past(sinusoidal, 2x) and fails(learned, 2x)
//   bits(learned, 1x) = bits(sinusoidal, 1x) within 0.05
//   accuracy(sinusoidal@randomized, unseen) >= 0.95
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "experiments/results/result.h"

namespace ordinal::experiments {

/// metric(row, length) or metric(row, length, condition). The metric is one of the task's, perplexity where
/// there are bits, or
///   learned         1 if a seed learned the training length, else 0. 0 or 1 for all seeds decides nothing
///   gradient_norm   mean norm of the gradient before clipping, over the logged steps of training
/// of which the last two have no length.
/// A length is 128, 2x, or `unseen`: the mean over all tested lengths past the training length.
struct Quantity {
  std::string metric = {};
  std::string row = {};
  std::string length = {};  // empty if it is of the training
  std::string condition = trained_condition;
  Index column = 0;  // in the statement, from 1
};

/// Whether a metric is one of the training as a whole: learned, gradient_norm.
bool is_of_training(const std::string& metric);

/// factor * quantity, or a number.
struct Term {
  double factor = 1.0;
  std::optional<Quantity> quantity = {};
};

/// A sum of terms compared with another.
struct Relation {
  enum class Kind { less, greater, equal };
  Kind kind = Kind::less;
  std::vector<Term> left;
  std::vector<Term> right;
  double margin = 0.0;  // of `equal`
};

/// All of them must hold.
struct Statement {
  std::vector<Relation> relations;
  std::vector<Quantity> failures;  // fails(row, length): the row cannot run at this length
};

/// Throws ConfigError, one line that shows the column, for a text that is no statement.
Statement parse_statement(const std::string& text);

/// All quantities of the relations of a statement.
std::vector<Quantity> quantities_of(const Statement& statement);

}  // namespace ordinal::experiments

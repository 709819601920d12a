// What a claim says about measured quantities, in one of four forms:
//
//   accuracy.near(alibi, 2x) > accuracy.near(rope, 2x)
//   accuracy.near(alibi, 2x) > accuracy.near(rope, 2x) + 0.05
//   exact(none, 40) = exact(t5, 40, window(size=8)) within 0.05
//   accuracy("rope, d_model = 64", 1x) >= 0.95
//
// For a metric of which less is better, the larger side is written first: bits(sinusoidal, 2x) > bits(alibi, 2x).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "experiments/results/result.h"

namespace ordinal::experiments {

/// metric(row, length) or metric(row, length, condition). A length is 128, or 2x for twice the training length of the row.
struct Quantity {
  std::string metric = {};
  std::string row = {};
  std::string length = {};
  std::string condition = trained_condition;
  Index column = 0;  // in the statement, from 1
  Index at = 0;      // the length in numbers, once the row is known

  /// "accuracy(rope, 128)"
  std::string text() const;
};

struct Statement {
  enum class Form { above, within, at_least };
  Form form = Form::above;
  Quantity left = {};
  std::optional<Quantity> right = {};  // none for `at_least`
  double number = 0.0;                 // the margin; for `at_least`, what is reached
};

/// Throws ConfigError, one line with the column and the four forms, for any other text.
Statement parse_statement(const std::string& text);

}  // namespace ordinal::experiments

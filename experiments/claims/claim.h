// What a config states about the results of its experiment: sections [claim ID], and [withdrawn ID] for what it no longer states.
// configs/claims/README.md has the forms of a statement.
#pragma once

#include <string>
#include <vector>

#include "experiments/results/result.h"
#include "experiments/settings/settings.h"

namespace ordinal::experiments {

/// metric(row, length) or metric(row, length, condition).
struct Quantity {
  MetricSpec metric = {};
  std::string row = {};
  std::string length = {};  // 128, or 2x for twice the training length of the row
  std::string condition = trained_condition;
  Index at = 0;               // the length in numbers, once the row is known
  Index train_length = 0;     // of the row
  std::string task = {};      // of the row
  std::string encoding = {};  // of the row, without options
};

struct Statement {
  enum class Form { above, within, at_least };
  Form form = Form::above;
  std::vector<Quantity> sides = {};  // A and B; A alone for `at_least`
  double number = 0.0;               // the margin; for `at_least`, what is reached
};

/// Throws ConfigError, one line with the four forms, for any other text.
Statement parse_statement(const std::string& text);

struct Claim {
  WrittenSection section = {};  // words, statement, source, registered, looks, again, note
  Statement statement = {};
  Index looks = 1;  // how often it was asked so far, this time included; its p is multiplied by it
};

/// The value of a key; empty if the section does not have it.
std::string value_of(const WrittenSection& section, const std::string& key);

/// "ID, withdrawn: words (reason; then: its last verdict)".
std::string withdrawal(const WrittenSection& section);

/// The claims of a config, with all lengths in numbers, and the tasks and metrics of their rows. Throws ConfigError with one line for each
/// key of a section [claim ID] or [withdrawn ID] that is missing or cannot be read, for each row, metric, length or condition that the
/// experiment does not have, and for a statement that no scores can decide.
std::vector<Claim> claims_of(const Settings& settings);

}  // namespace ordinal::experiments

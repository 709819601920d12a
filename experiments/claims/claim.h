// What a config states about the results of its experiment: sections [claim ID], and [withdrawn ID] for what it no longer states.
#pragma once

#include <string>
#include <vector>

#include "experiments/claims/statement.h"
#include "experiments/settings/settings.h"

namespace ordinal::experiments {

/// A claim and where it comes from.
struct Claim {
  std::string id = {};
  std::string words = {};       // what it says, for readers
  std::string text = {};        // the statement, for the program
  std::string source = {};      // who says so, at which ratio, size and training
  std::string registered = {};  // when it was written, before its first result: a date, and a commit
  Index looks = 1;          // how often it was asked so far, this time included; its p is multiplied by it
  std::string note = {};    // what a reader should know of the outcome
  std::string origin = {};  // where it is written: "configs/claims/x.cfg:12"
  Statement statement = {};

  /// The one or two quantities that it compares.
  std::vector<Quantity> quantities() const;
};

/// The claims of a config, with all lengths in numbers. Throws ConfigError with one line for each key of a section [claim ID] or
/// [withdrawn ID] that is missing or cannot be read.
std::vector<Claim> claims_of(const Settings& settings);

/// One line for each row, length, metric or condition of a claim that the experiment does not have.
/// `experiment` needs no results.
std::vector<std::string> claim_problems(const std::vector<Claim>& claims, const ExperimentResult& experiment);

}  // namespace ordinal::experiments

// A claim as a config states it: a section [claim ID] with a statement and its source.
#pragma once

#include <string>
#include <vector>

#include "experiments/claims/statement.h"
#include "experiments/results/result.h"
#include "experiments/settings/settings.h"

namespace ordinal::experiments {

/// A claim and where it comes from.
struct Claim {
  std::string id = {};
  std::string text = {};      // the statement
  std::string source = {};    // who says so, and where
  std::string expected = {};  // "holds" or "fails", if somebody said before
  std::string note = {};      // what a reader should know about the outcome
  bool only_learned = true;   // seeds that did not learn the training length do not count past it
  std::string origin = {};    // where it is written: "configs/claims/x.cfg:12"
  Statement statement = {};
};

/// The claims of a config. Throws ConfigError with a line for each that has no statement, or one that does not parse.
std::vector<Claim> claims_of(const Settings& settings);

/// A line for each claim that asks for a row, length, metric or condition that the experiment does not have.
/// `experiment` needs no results.
std::vector<std::string> claim_problems(const std::vector<Claim>& claims, const ExperimentResult& experiment);

}  // namespace ordinal::experiments

// What a config states about the results of its experiment: sections [claim ID] with a statement and its source.
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
  std::string words = {};     // what it says, for readers
  std::string text = {};      // the statement, for the program; empty if no config has it
  std::string source = {};    // who says so, and where
  std::string expected = {};  // "holds" or "fails", if someone predicted it
  std::string note = {};      // what a reader should know about the outcome
  /// Which rows must be ranked (at least three quarters of their seeds learned): `learned`: all; `all`: none; empty: those
  /// past the training length.
  std::string seeds = {};
  std::string origin = {};  // where it is written: "configs/claims/x.cfg:12"
  Statement statement = {};

  /// For readers: the words, or the statement if there are none.
  const std::string& said() const { return words.empty() ? text : words; }
};

/// The claims of a config. Throws ConfigError with one line per claim whose statement is missing or does not parse.
std::vector<Claim> claims_of(const Settings& settings);

/// One line per claim that names a row, length, metric or condition that the experiment does not have.
/// `experiment` needs no results.
std::vector<std::string> claim_problems(const std::vector<Claim>& claims, const ExperimentResult& experiment);

/// The tested lengths that a length in a section stands for, in rows trained at `train_length`: one, or
/// for `unseen` all past the training length. Empty if the length was not tested.
std::vector<Index> lengths_in(const std::string& text, const std::vector<Index>& tested, Index train_length);

}  // namespace ordinal::experiments

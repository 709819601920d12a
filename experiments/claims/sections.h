// What a config says about the results of its experiment: sections [claim ID] with a statement and its source, and
// [published ID] with the numbers of a paper.
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
  std::string expected = {};  // "holds" or "fails", if somebody said before
  std::string note = {};      // what a reader should know about the outcome
  bool only_learned = true;   // seeds that did not learn the training length do not count past it
  std::string origin = {};    // where it is written: "configs/claims/x.cfg:12"
  Statement statement = {};

  /// For readers: the words, or the statement if there are none.
  const std::string& said() const { return words.empty() ? text : words; }
};

/// The claims of a config. Throws ConfigError with a line for each that has no statement, or one that does not parse.
std::vector<Claim> claims_of(const Settings& settings);

/// A line for each claim that asks for a row, length, metric or condition that the experiment does not have.
/// `experiment` needs no results.
std::vector<std::string> claim_problems(const std::vector<Claim>& claims, const ExperimentResult& experiment);

/// The published tables of a config. `experiment` holds the rows, metrics and lengths that they may name; what else is
/// named or written wrongly is added to `problems`, a line each.
///
///   [published press]
///   source = Press et al. 2022, Table 2
///   metric = perplexity
///   lengths = 1x, 2x                                   or unseen, as in a claim
///   rows = sinusoidal: 20.05 43.54; alibi: 19.73 -     a number for each length, - where there is none
std::vector<PublishedTable> published_tables(const Settings& settings, const ExperimentResult& experiment,
                                             std::vector<std::string>& problems);

/// The tested lengths that a length of a section means, for rows trained at `train_length`: one, or for `unseen` all
/// past the training length; none if it was not tested.
std::vector<Index> lengths_in(const std::string& text, const std::vector<Index>& tested, Index train_length);

}  // namespace ordinal::experiments

// The number behind a quantity of a statement, for one seed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "experiments/claims/claim.h"
#include "experiments/results/result.h"

namespace ordinal::experiments {

/// The tested lengths that a length of a statement means, for rows trained at `train_length`: one, or for `unseen` all
/// past the training length; none if it was not tested.
std::vector<Index> lengths_in(const std::string& text, const std::vector<Index>& tested, Index train_length);

/// A number, or why there is none: "“learned” cannot run at 128".
struct Reading {
  std::optional<double> value = {};
  std::string why_none = {};
};

/// No value where the model cannot run or diverged, or, past the training length, did not learn.
Reading reading(const Quantity& quantity, const Claim& claim, const ExperimentResult& result,
                std::uint64_t seed);

}  // namespace ordinal::experiments

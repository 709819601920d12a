// Sentences that summarise the results, and tables of all pairs of rows. Every conclusion rests on the pairs of rankings_of()
// (see comparison.h), and says in how many seeds it holds.
#pragma once

#include <string>
#include <vector>

#include "experiments/report/grid.h"

namespace ordinal::experiments {

/// For each headline metric one sentence: which row is best at the longest length, and by how much and in how many seeds it is ahead
/// of the next. pair_grids() has all pairs. The page opens with it. Plain text.
std::vector<std::string> answer(const ExperimentResult& result);

/// For each headline metric, all pairs of ranked rows at the longest length: who is ahead, by how much, in how many seeds, and p.
std::vector<Grid> pair_grids(const ExperimentResult& result);

/// What makes results say less than they seem to, one line each: rows differ in the task; a reader that ignores order passes the
/// learning gate; a headline metric has few targets at a length. The last two need no results but the references.
std::vector<std::string> warnings(const ExperimentResult& result);

/// "4 seeds: no comparison of rows can be decided; 9 are enough for all, at most 12 …": a line for rows and one for the comparisons of
/// claims, each only if that number of seeds cannot decide all of them. Needs no results, so rows may fail or not learn.
std::vector<std::string> too_few_seeds(const ExperimentResult& result, Index seeds, Index of_claims);

}  // namespace ordinal::experiments

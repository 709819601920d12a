// Scores as a file: row,seed,length,condition,metric,value,tokens,learned. A line without a seed is the score of a reader, such as
// majority.
#pragma once

#include <string>
#include <vector>

#include "experiments/results/result.h"

namespace ordinal::experiments {

std::string scores_csv(const std::vector<Score>& scores);

/// The field `learned` of a CSV file: 1, 0, or nothing if it is unknown.
std::string learned_field(const Score& score);

/// Inverse of scores_csv(), for scores in `metrics`. Throws DataError, one line that begins with `path`, if columns are others, a field
/// is not what its column holds, a value is none that its metric can have, a score stands there twice, or a seed of a row learned its
/// task in one line and not in another.
std::vector<Score> read_scores(const std::string& text, const std::string& path,
                               const std::vector<MetricSpec>& metrics);

}  // namespace ordinal::experiments

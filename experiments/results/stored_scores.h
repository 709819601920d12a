// The scores from which claims are decided, as a file: row,seed,length,condition,metric,value,tokens,learned. A line without a
// seed is the score of a reader, such as majority. Columns are known by name, so seeds.csv can be read, too.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "experiments/results/result.h"

namespace ordinal::experiments {

struct StoredScores {
  /// By row, seed, length, condition and metric, as they stand in the file. NaN where the row cannot run or diverged.
  std::map<std::vector<std::string>, double> values = {};
  /// By row and seed. Empty if there is no criterion of learning.
  std::map<std::vector<std::string>, bool> learned = {};
};

/// The file of the scores that are used, those of readers included.
std::string scores_csv(const ExperimentResult& result, const std::function<bool(const Score&)>& is_used);

/// Inverse of scores_csv(). Throws DataError, one line that begins with `path`, if a column is missing, a field is not what its
/// column holds, or a score stands there twice.
StoredScores read_scores(const std::string& text, const std::string& path);

}  // namespace ordinal::experiments

// The scores from which claims are decided, as a file: row,seed,length,condition,metric,value,tokens,learned. A line without a
// seed is the score of a reader, such as majority. Columns are known by name, so seeds.csv can be read, too.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "experiments/results/result.h"

namespace ordinal::experiments {

/// The scores of a row that was trained with a seed.
struct StoredCell {
  std::vector<Score> scores = {};    // `value` is NaN where the row cannot run or diverged
  std::optional<bool> learned = {};  // nothing if there is no criterion of learning
};

struct StoredScores {
  std::map<std::pair<std::string, std::uint64_t>, StoredCell> cells = {};  // by row and seed
  std::vector<Score> readers = {};
};

/// The file: every row, seed, length and condition in these metrics, readers included, and the score that says whether a seed
/// learned the task.
std::string scores_csv(const ExperimentResult& result, const std::set<std::string>& metrics);

/// Inverse of scores_csv(). Throws DataError, one line that begins with `path`, if a column is missing or a field is not what its
/// column holds.
StoredScores read_scores(const std::string& text, const std::string& path);

/// Whether a metric of this id is in bits or a perplexity; the others are fractions, of which more is better.
bool lower_is_better(const std::string& metric);

}  // namespace ordinal::experiments

// NAME.scores.csv beside NAME.cfg: the scores from which the claims of a config are decided. Its first lines, comments, are the settings
// that bind them and the hash of the data of each task; scores of other settings or other data decide nothing.
#pragma once

#include <string>
#include <vector>

#include "experiments/results/result.h"
#include "experiments/settings/settings.h"

namespace ordinal::experiments {

struct StoredScores {
  std::vector<Score> scores = {};
  std::string changed =
      {};  // "train.steps = 2000, and 1000 in the config": the first difference, if there is one
};

/// Lines row,seed,length,condition,metric,value,tokens,learned. One without a seed is the score of a reader, such as majority.
std::string scores_csv(const std::vector<Score>& scores);

/// Inverse of scores_csv(), for scores in `metrics`. Throws DataError, one line that begins with `path`, if columns are others, a field
/// is not what its column holds, a value is none that its metric can have, a score stands there twice, or a seed of a row learned its
/// task in one line and not in another.
std::vector<Score> read_scores(const std::string& text, const std::string& path,
                               const std::vector<MetricSpec>& metrics);

/// The text of the file.
std::string stored_text(const Settings& settings, const std::vector<Score>& scores);

/// Inverse of stored_text(). The data of a task whose file is not given are not compared. Throws DataError as read_scores() does.
StoredScores read_stored(const std::string& text, const std::string& path, const Settings& settings);

}  // namespace ordinal::experiments

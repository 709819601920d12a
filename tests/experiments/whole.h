// Convenience access to the scores of a test.
#pragma once

#include <vector>

#include "experiments/results/result.h"

namespace ordinal::experiments {

/// What a length gave under a condition: its number over all positions and past the training length.
struct Whole {
  Index length = 0;
  std::string condition = {};
  bool failed = false;
  std::string why = {};
  double value = not_a_number;
  double past_training = not_a_number;
  Index tokens = 0;
  std::vector<double> by_position = {};
};

/// In the order in which they were scored.
inline std::vector<Whole> wholes(const CellResult& cell) {
  std::vector<Whole> all;
  for (const Score& score : cell.scores) {
    if (all.empty() || all.back().length != score.length || all.back().condition != score.condition)
      all.push_back({score.length, score.condition, score.failed, score.why});
    if (score.metric.id == "bits.past" || score.metric.id == "accuracy.past")
      all.back().past_training = score.value;
    if (score.metric.id != "bits" && score.metric.id != "accuracy") continue;
    all.back().value = score.value;
    all.back().tokens = score.tokens;
  }
  for (Whole& whole : all) {
    for (const PositionLosses& losses : cell.by_position) {
      if (losses.length == whole.length && losses.condition == whole.condition)
        whole.by_position = losses.bits;
    }
  }
  return all;
}

}  // namespace ordinal::experiments

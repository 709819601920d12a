// Convenience access to a score for tests.
#pragma once

#include "experiments/results/result.h"

namespace ordinal::experiments {

/// A score with its number over all positions and past the training length.
struct Whole : LengthScore {
  double value = not_a_number;
  double past_training = not_a_number;
  Index tokens = 0;

  explicit Whole(const LengthScore& score) : LengthScore(score) {
    for (const Measurement& measured : metrics) {
      if (measured.metric == "bits.past" || measured.metric == "accuracy.past")
        past_training = measured.value;
      if (measured.metric != "bits" && measured.metric != "accuracy") continue;
      value = measured.value;
      tokens = measured.tokens;
    }
  }
};

}  // namespace ordinal::experiments

// Sliding-window evaluation: a long sequence is scored in windows no longer than training sequences, so any model can
// be scored at any length. A window does not see the tokens before it.
#pragma once

#include "framework/training/evaluation.h"

namespace ordinal::experiments {

/// Window w holds the tokens w·stride … w·stride + size - 1; the last window holds the rest. stride ≥ 1.
struct Windows {
  Index size = 0;
  Index stride = 0;
};

/// Throws ConfigError if a target would lie in no window.
void check_windows(const Windows& windows);

/// Scores a batch, running each window as a separate sequence with the positions of a sequence of that
/// length. Each target is scored once, in the first window that holds it, which gives it the most context: target t
/// sees min(t + 1, size) tokens in window 0, and at least size - stride + 1 in later ones. Equal to evaluator.score()
/// for sequences of up to `size` tokens. Throws as check_windows() does.
TokenScores score_in_windows(Evaluator<float>& evaluator, const Batch& batch, const Windows& windows,
                             const RandomKey& first = {});

}  // namespace ordinal::experiments

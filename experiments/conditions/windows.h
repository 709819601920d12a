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

/// Scores a batch, running each window as a separate sequence with positions of its own. Each target is scored once, in the
/// first window that holds it, which gives it the most context: min(t + 1, size) tokens in window 0, at least
/// size - stride + 1 in later ones. Equal to evaluator.score() for sequences of up to `size` tokens. Requires stride ≤ size.
TokenScores score_in_windows(Evaluator<float>& evaluator, const Batch& batch, const Windows& windows,
                             const RandomKey& first = {});

}  // namespace ordinal::experiments

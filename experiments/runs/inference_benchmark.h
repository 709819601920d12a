// Speed of inference: evaluation of long sequences, and generation with a key/value cache.
#pragma once

#include "framework/core/threads.h"

namespace ordinal::experiments {

/// A decoder of 2 layers with d_model 64 and 4 heads, sinusoidal positions.
struct EvaluationTiming {
  Index seq_len = 0;
  double seconds = 0.0;
  double gflops = 0.0;   // of its FLOPs, attention counted for the visible half only
  double rate = 0.0;     // of 512x512x512 products on one thread
  Index peak_bytes = 0;  // of the process, since it began
};
/// Scores one sequence of `seq_len` tokens on one thread.
EvaluationTiming time_evaluation(Index seq_len);

struct GenerationTiming {
  Index length = 0;
  double tokens_per_second = 0.0;
};
/// Generates `length` tokens, one after the other, on one thread.
GenerationTiming time_generation(Index length);

}  // namespace ordinal::experiments

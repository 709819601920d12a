// What the program benchmark is asked to time.
#pragma once

#include <vector>

#include "experiments/runs/step_benchmark.h"
#include "experiments/settings/settings.h"

namespace ordinal::experiments {

/// The keys benchmark.….
struct BenchmarkRequest {
  std::vector<BenchmarkSize> sizes = {};      // of training steps
  std::vector<BenchmarkSize> forward = {};    // of forward passes
  std::vector<BenchmarkSize> encodings = {};  // of training steps with each encoding
  std::vector<Index> lengths = {};            // of evaluation
};

/// Throws ConfigError with one line for each problem: an unknown size, a length out of range, a key of
/// the model on the command line although no size `config` is requested.
BenchmarkRequest benchmark_request(const Settings& settings);

}  // namespace ordinal::experiments

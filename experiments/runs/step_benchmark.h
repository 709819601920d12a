// Speed of a training step, also as a share of the rate of plain matrix products in the same run.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "framework/core/threads.h"

namespace ordinal::experiments {

/// A decoder with learned positions on random tokens: the same sizes as in experiments/peers.
struct BenchmarkSize {
  std::string name;
  Index vocab_size = 0;
  Index d_model = 0;
  Index heads = 0;
  Index layers = 0;
  Index seq_len = 0;
  Index batch = 0;
};

/// tiny, small, medium, big.
const std::vector<BenchmarkSize>& benchmark_sizes();

/// Floating-point operations of one training step:
///   tokens · (6·layers·12·d² + 6·V·d + 12·layers·L·d), every product three times, attention not discounted
///   for
/// causality.
double step_flops(const BenchmarkSize& size);

struct StepTiming {
  BenchmarkSize size;
  double milliseconds = 0.0;  // median of a step: forward, backward, clipping by norm, AdamW
  double fastest = 0.0;
  double slowest = 0.0;
  double gflops = 0.0;        // step_flops at the median
  double product_rate = 0.0;  // GFLOP/s of 512x512x512 products, one stream on each thread, between the steps
  double share_of_peak = 0.0;  // gflops / product_rate
  double tokens_per_second = 0.0;
  Index memory_bytes = 0;                                  // parameters, moments, gradients, activations
  double allocations = 0.0;                                // calls of operator new in a step
  std::vector<std::pair<std::string, double>> parts = {};  // milliseconds of a thread, the longest first
};

/// The number of calls of operator new so far.
using AllocationCounter = std::function<Index()>;

/// Times `steps` steps after three warm-up steps, then as many again with a stopwatch in every layer.
StepTiming time_training_step(const BenchmarkSize& size, Index steps, Threads& threads,
                              const AllocationCounter& allocations);

struct ForwardTiming {
  std::string size;
  double milliseconds = 0.0;
  double tokens_per_second = 0.0;
  double gflops = 0.0;  // a third of step_flops
};
/// Scores the batch of a training step: forward only.
ForwardTiming time_forward(const BenchmarkSize& size, Index repeats, Threads& threads);

struct EncodingCost {
  std::string size;
  std::string encoding;
  double ratio = 0.0;  // of a training step's time to that of `none`, median of pairs
};
/// Each encoding, alternating step by step with `none`.
std::vector<EncodingCost> time_encodings(const BenchmarkSize& size, const std::vector<std::string>& encodings,
                                         Index steps, Threads& threads);

}  // namespace ordinal::experiments

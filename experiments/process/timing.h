// Shared by the benchmarks: a clock, a median, random tokens, and the rate of plain matrix products.
#pragma once

#include <functional>
#include <vector>

#include "framework/core/tensor.h"
#include "framework/core/threads.h"
#include "framework/training/batch.h"

namespace ordinal::experiments {

double seconds_of(const std::function<void()>& work);

double median(std::vector<double> values);

/// The same tokens and targets for the same arguments.
Batch random_batch(Index size, Index seq_len, Index vocab_size);

/// Products of 512x512x512 in float, one stream on each thread: the reference rate for a step.
class ProductRate {
 public:
  explicit ProductRate(Threads& threads);
  /// GFLOP/s of all threads together.
  double measure();

 private:
  Threads& threads_;
  std::vector<Tensor<float>> matrices_;
};

}  // namespace ordinal::experiments

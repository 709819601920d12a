// The timed training step: a decoder with learned positions on random tokens, in the sizes of tests/peers.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "framework/math/blas.h"
#include "framework/training/trainer.h"
#include "models/transformer.h"

namespace ordinal::experiments {

struct BenchmarkSize {
  std::string name;
  Index vocab_size = 0;
  Index d_model = 0;
  Index heads = 0;
  Index layers = 0;
  Index seq_len = 0;
  Index batch = 0;

  Index tokens() const { return batch * seq_len; }
};

/// tiny, small, medium, big.
const std::vector<BenchmarkSize>& benchmark_sizes();

/// Floating-point operations of one training step, see training_flops_per_token().
double step_flops(const BenchmarkSize& size);

/// A model with everything needed to train it on random tokens.
struct StepBench {
  StepBench(const BenchmarkSize& size, const std::string& encoding, Threads& threads);
  /// The seconds that a step takes: forward, backward, clipping by norm, AdamW.
  double step();

  Transformer<float> model;
  Trainer<float> trainer;
  Batch batch;
};

/// The results of `count` calls of `measure`, after three calls to warm up, in ascending order.
std::vector<double> measured(Index count, const std::function<double()>& measure);

/// The ratio of a training step's time with an encoding to that with `none`: the median over alternating steps.
double encoding_cost(const BenchmarkSize& size, const std::string& encoding, Index steps, Threads& threads);

/// Products of 512x512x512 in float, one stream on each thread: the reference rate for a step.
class ProductRate {
 public:
  explicit ProductRate(Threads& threads);
  /// GFLOP/s of all threads together, with the products of the framework or of OpenBLAS, whichever is faster.
  double measure();

 private:
  using Product = void (*)(const ordinal::Factor<float>& a, const ordinal::Factor<float>& b, View<float> c);
  double measure(Product product);

  Threads& threads_;
  std::vector<Tensor<float>> matrices_;
};

}  // namespace ordinal::experiments

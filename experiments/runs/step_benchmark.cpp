#include "experiments/runs/step_benchmark.h"

#include <algorithm>

#include "experiments/runs/memory.h"
#include "experiments/runs/timing.h"
#include "framework/training/evaluation.h"
#include "framework/training/trainer.h"
#include "models/summary.h"
#include "models/transformer.h"

namespace ordinal::experiments {
namespace {

constexpr int warm_up_steps = 3;

ModelConfig config_of(const BenchmarkSize& size, const std::string& encoding) {
  ModelConfig config;
  config.vocab_size = size.vocab_size;
  config.d_model = size.d_model;
  config.heads = size.heads;
  config.layers = size.layers;
  config.encoding = encoding;
  config.train_length = size.seq_len;
  config.longest = size.seq_len;
  return config;
}

// A model with everything needed to train it.
struct Bench {
  Bench(const BenchmarkSize& size, const std::string& encoding, Threads& threads)
      : model(config_of(size, encoding)),
        trainer(fitting(model, size), options_of(size), threads),
        batch(random_batch(size.batch, size.seq_len, size.vocab_size)) {}

  static const Transformer<float>& fitting(const Transformer<float>& model, const BenchmarkSize& size) {
    check_memory(
        training_memory_bytes(model, size.batch, size.seq_len, options_of(size).shards, sizeof(float)));
    return model;
  }

  static TrainerOptions options_of(const BenchmarkSize& size) {
    TrainerOptions options;
    options.shards = default_shards(size.batch, size.seq_len);
    return options;
  }
  double step_seconds() {
    return seconds_of([&] { trainer.step({&batch, 1}); });
  }

  Transformer<float> model;
  Trainer<float> trainer;
  Batch batch;
};

// Milliseconds of one thread, by part, of one more step.
std::vector<std::pair<std::string, double>> parts_of(Bench& bench, Index steps, int threads) {
  bench.trainer.measure_parts();
  const auto before = bench.trainer.seconds_by_part();
  for (Index step = 0; step < steps; ++step) bench.step_seconds();
  const auto after = bench.trainer.seconds_by_part();
  std::vector<std::pair<std::string, double>> parts;
  for (std::size_t p = 0; p < work_count; ++p) {
    parts.emplace_back(work_names[p], 1e3 * (after[p] - before[p]) / static_cast<double>(steps * threads));
  }
  std::ranges::sort(parts, [](const auto& a, const auto& b) { return a.second > b.second; });
  return parts;
}

}  // namespace

const std::vector<BenchmarkSize>& benchmark_sizes() {
  static const std::vector<BenchmarkSize> sizes = {{"tiny", 32, 64, 4, 2, 64, 32},
                                                   {"small", 64, 128, 4, 4, 128, 16},
                                                   {"medium", 256, 256, 8, 4, 256, 8},
                                                   {"big", 1024, 512, 8, 6, 512, 4}};
  return sizes;
}

double step_flops(const BenchmarkSize& size) {
  const auto d = static_cast<double>(size.d_model);
  const auto layers = static_cast<double>(size.layers);
  const double token = 6.0 * layers * 12.0 * d * d + 6.0 * static_cast<double>(size.vocab_size) * d +
                       12.0 * layers * static_cast<double>(size.seq_len) * d;
  return static_cast<double>(size.batch * size.seq_len) * token;
}

StepTiming time_training_step(const BenchmarkSize& size, Index steps, Threads& threads,
                              const AllocationCounter& allocations) {
  Bench bench(size, "learned", threads);
  ProductRate products(threads);
  std::vector<double> milliseconds;
  std::vector<double> rates;
  Index allocated = 0;
  for (Index step = 0; step < warm_up_steps + steps; ++step) {
    const double rate = products.measure();
    const Index before = allocations();
    const double seconds = bench.step_seconds();
    if (step < warm_up_steps) continue;
    allocated += allocations() - before;
    milliseconds.push_back(1e3 * seconds);
    rates.push_back(rate);
  }
  StepTiming timing{.size = size,
                    .milliseconds = median(milliseconds),
                    .fastest = *std::ranges::min_element(milliseconds),
                    .slowest = *std::ranges::max_element(milliseconds),
                    .product_rate = median(rates),
                    .memory_bytes = bench.trainer.memory_bytes(),
                    .allocations = static_cast<double>(allocated) / static_cast<double>(steps)};
  timing.gflops = step_flops(size) / timing.milliseconds / 1e6;
  timing.share_of_peak = timing.gflops / timing.product_rate;
  timing.tokens_per_second = 1e3 * static_cast<double>(size.batch * size.seq_len) / timing.milliseconds;
  timing.parts = parts_of(bench, steps, threads.count());
  return timing;
}

ForwardTiming time_forward(const BenchmarkSize& size, Index repeats, Threads& threads) {
  const Transformer<float> model(config_of(size, "learned"));
  Parameters<float> values(model.layout());
  initialize(values, 1);
  Evaluator<float> evaluator(model, values, threads);
  const Batch batch = random_batch(size.batch, size.seq_len, size.vocab_size);
  std::vector<double> milliseconds;
  for (Index i = 0; i < warm_up_steps + repeats; ++i) {
    const double seconds = seconds_of([&] { evaluator.score(batch); });
    if (i >= warm_up_steps) milliseconds.push_back(1e3 * seconds);
  }
  const double ms = median(milliseconds);
  return {size.name, ms, 1e3 * static_cast<double>(size.batch * size.seq_len) / ms,
          step_flops(size) / 3.0 / ms / 1e6};
}

std::vector<EncodingCost> time_encodings(const BenchmarkSize& size, const std::vector<std::string>& encodings,
                                         Index steps, Threads& threads) {
  std::vector<EncodingCost> costs;
  Bench none(size, "none", threads);
  for (const std::string& encoding : encodings) {
    Bench bench(size, encoding, threads);
    std::vector<double> ratios;
    for (Index step = 0; step < warm_up_steps + steps; ++step) {
      const double with = bench.step_seconds();
      const double without = none.step_seconds();
      if (step >= warm_up_steps) ratios.push_back(with / without);
    }
    costs.push_back({size.name, encoding, median(ratios)});
  }
  return costs;
}

}  // namespace ordinal::experiments

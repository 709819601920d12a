#include "experiments/runs/step_benchmark.h"

#include <algorithm>
#include <chrono>

#include "framework/core/blas.h"
#include "framework/core/random.h"
#include "framework/training/trainer.h"
#include "models/transformer.h"

namespace ordinal {
namespace {

constexpr int warm_up_steps = 3;
constexpr Index product_size = 512;
constexpr Index products_between_steps = 4;

double seconds_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

Batch random_batch(const BenchmarkSize& size) {
  Batch batch{size.batch, size.seq_len, {}, {}};
  Random random({.seed = 1, .purpose = hash_name("benchmark")});
  const auto token = [&] {
    return static_cast<Token>(random.below(static_cast<std::uint32_t>(size.vocab_size)));
  };
  for (Index i = 0; i < size.batch * size.seq_len; ++i) {
    batch.tokens.push_back(token());
    batch.targets.push_back(token());
  }
  return batch;
}

// Products of 512x512x512 in float, one stream on each thread.
class ProductRate {
 public:
  explicit ProductRate(Threads& threads) : threads_(threads) {
    for (int i = 0; i < threads.count(); ++i) matrices_.emplace_back(Shape{3 * product_size, product_size});
  }

  // GFLOP/s of all threads together.
  double measure() {
    const double seconds = seconds_of([&] {
      threads_.run(threads_.count(), [&](Index worker) {
        const View<float> all = matrices_[static_cast<std::size_t>(worker)].view();
        for (Index i = 0; i < products_between_steps; ++i) {
          multiply<float>(all.row_range(0, product_size), all.row_range(product_size, product_size),
                          all.row_range(2 * product_size, product_size));
        }
      });
    });
    const auto n = static_cast<double>(product_size);
    return static_cast<double>(threads_.count() * products_between_steps) * 2.0 * n * n * n / seconds / 1e9;
  }

 private:
  Threads& threads_;
  std::vector<Tensor<float>> matrices_;
};

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
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

StepTiming time_training_step(const BenchmarkSize& size, Index steps, Threads& threads) {
  ModelConfig config;
  config.vocab_size = size.vocab_size;
  config.d_model = size.d_model;
  config.heads = size.heads;
  config.layers = size.layers;
  config.encoding.name = "learned";
  config.encoding.max_seq_len = size.seq_len;
  const Transformer<float> model(config);
  TrainerOptions options;
  options.shards = default_shards(size.batch, size.seq_len);
  Trainer<float> trainer(model, options, threads);
  const Batch batch = random_batch(size);
  ProductRate products(threads);

  std::vector<double> milliseconds;
  std::vector<double> rates;
  for (Index step = 0; step < warm_up_steps + steps; ++step) {
    const double rate = products.measure();
    const double seconds = seconds_of([&] { trainer.step({&batch, 1}); });
    if (step < warm_up_steps) continue;
    milliseconds.push_back(1e3 * seconds);
    rates.push_back(rate);
  }
  StepTiming timing{.size = size,
                    .milliseconds = median(milliseconds),
                    .fastest = *std::ranges::min_element(milliseconds),
                    .slowest = *std::ranges::max_element(milliseconds),
                    .product_rate = median(rates),
                    .memory_bytes = trainer.memory_bytes()};
  timing.gflops = step_flops(size) / timing.milliseconds / 1e6;
  timing.share_of_peak = timing.gflops / timing.product_rate;
  timing.tokens_per_second = 1e3 * static_cast<double>(size.batch * size.seq_len) / timing.milliseconds;
  return timing;
}

}  // namespace ordinal

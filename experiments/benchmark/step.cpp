#include "experiments/benchmark/step.h"

#include <algorithm>

#include "experiments/process/progress.h"
#include "experiments/training/summary.h"
#include "framework/core/random.h"

namespace ordinal::experiments {
namespace {

constexpr int warm_up = 3;
constexpr Index product_size = 512;
constexpr Index products_at_a_time = 4;

TrainerOptions options_of(const BenchmarkSize& size) {
  TrainerOptions options;
  options.shards = default_shards(size.batch, size.seq_len);
  return options;
}

ModelConfig model_of(const BenchmarkSize& size, const std::string& encoding) {
  return {.vocab_size = size.vocab_size,
          .d_model = size.d_model,
          .layers = size.layers,
          .heads = size.heads,
          .encoding = encoding,
          .train_length = size.seq_len,
          .longest = size.seq_len};
}

// The same tokens and targets each time.
Batch random_batch(const BenchmarkSize& size) {
  Batch batch{size.batch, size.seq_len, {}, {}};
  Random random({.seed = 1, .purpose = hash_name("benchmark")});
  const auto token = [&] {
    return static_cast<Token>(random.below(static_cast<std::uint32_t>(size.vocab_size)));
  };
  for (Index i = 0; i < size.tokens(); ++i) {
    batch.tokens.push_back(token());
    batch.targets.push_back(token());
  }
  return batch;
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
  const Transformer<float> model(model_of(size, "learned"));
  return static_cast<double>(size.tokens()) * training_flops_per_token(model, size.seq_len);
}

StepBench::StepBench(const BenchmarkSize& size, const std::string& encoding, Threads& threads)
    : model(model_of(size, encoding)), trainer(model, options_of(size), threads), batch(random_batch(size)) {}

double StepBench::step() {
  const Pace pace;
  trainer.step({&batch, 1});
  return pace.seconds();
}

std::vector<double> measured(Index count, const std::function<double()>& measure) {
  for (int i = 0; i < warm_up; ++i) measure();
  std::vector<double> values;
  for (Index i = 0; i < count; ++i) values.push_back(measure());
  std::ranges::sort(values);
  return values;
}

double encoding_cost(const BenchmarkSize& size, const std::string& encoding, Index steps, Threads& threads) {
  StepBench none(size, "none", threads);
  StepBench bench(size, encoding, threads);
  const std::vector<double> ratios = measured(steps, [&] {
    const double with = bench.step();
    return with / none.step();
  });
  return ratios[ratios.size() / 2];
}

ProductRate::ProductRate(Threads& threads) : threads_(threads) {
  for (int i = 0; i < threads.count(); ++i) matrices_.emplace_back(Shape{3 * product_size, product_size});
}

double ProductRate::measure() {
  const double own = measure([](const ordinal::Factor<float>& a, const ordinal::Factor<float>& b,
                                View<float> c) { multiply<float>(a, b, c); });
  return std::max(own, measure(multiply_by_openblas<float>));
}

double ProductRate::measure(Product product) {
  const Pace pace;
  threads_.run(threads_.count(), [&](Index worker) {
    const View<float> all = matrices_[static_cast<std::size_t>(worker)].view();
    for (Index i = 0; i < products_at_a_time; ++i) {
      product(all.row_range(0, product_size), all.row_range(product_size, product_size),
              all.row_range(2 * product_size, product_size));
    }
  });
  const double seconds = pace.seconds();
  const auto n = static_cast<double>(product_size);
  return static_cast<double>(threads_.count() * products_at_a_time) * 2.0 * n * n * n / seconds / 1e9;
}

}  // namespace ordinal::experiments

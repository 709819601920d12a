#include "experiments/process/timing.h"

#include <algorithm>
#include <chrono>

#include "framework/core/blas.h"
#include "framework/core/random.h"

namespace ordinal::experiments {
namespace {

constexpr Index product_size = 512;
constexpr Index products_at_a_time = 4;

}  // namespace

double seconds_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

Batch random_batch(Index size, Index seq_len, Index vocab_size) {
  Batch batch{size, seq_len, {}, {}};
  Random random({.seed = 1, .purpose = hash_name("benchmark")});
  const auto token = [&] { return static_cast<Token>(random.below(static_cast<std::uint32_t>(vocab_size))); };
  for (Index i = 0; i < size * seq_len; ++i) {
    batch.tokens.push_back(token());
    batch.targets.push_back(token());
  }
  return batch;
}

ProductRate::ProductRate(Threads& threads) : threads_(threads) {
  for (int i = 0; i < threads.count(); ++i) matrices_.emplace_back(Shape{3 * product_size, product_size});
}

double ProductRate::measure() {
  const double seconds = seconds_of([&] {
    threads_.run(threads_.count(), [&](Index worker) {
      const View<float> all = matrices_[static_cast<std::size_t>(worker)].view();
      for (Index i = 0; i < products_at_a_time; ++i) {
        multiply<float>(all.row_range(0, product_size), all.row_range(product_size, product_size),
                        all.row_range(2 * product_size, product_size));
      }
    });
  });
  const auto n = static_cast<double>(product_size);
  return static_cast<double>(threads_.count() * products_at_a_time) * 2.0 * n * n * n / seconds / 1e9;
}

}  // namespace ordinal::experiments

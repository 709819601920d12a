// benchmark: the speed of a training step relative to plain matrix products, where its time goes, and what each encoding costs.
#include <fmt/format.h>

#include <algorithm>

#include "experiments/benchmark/step.h"
#include "experiments/process/machine.h"
#include "experiments/programs/driver.h"
#include "framework/core/errors.h"
#include "framework/positional/positional_encoding.h"

namespace ordinal::experiments {
namespace {

using Sizes = std::vector<BenchmarkSize>;

// The sizes that a key names. Adds a line to `problems` for each unknown name.
Sizes sizes_of(const Settings& settings, const char* key, std::vector<std::string>& problems) {
  Sizes sizes;
  for (const std::string& name : settings.list(key)) {
    const auto found = std::ranges::find(benchmark_sizes(), name, &BenchmarkSize::name);
    if (found != benchmark_sizes().end()) {
      sizes.push_back(*found);
    } else {
      problems.push_back(fmt::format("{}: got '{}', expected tiny, small, medium or big", key, name));
    }
  }
  return sizes;
}

// Runs as many steps again and prints the shares of their time, longest first.
void time_parts(StepBench& bench, Index steps) {
  bench.trainer.measure_parts();
  const auto before = bench.trainer.seconds_by_part();
  for (Index i = 0; i < steps; ++i) bench.step();
  const auto after = bench.trainer.seconds_by_part();
  SecondsByPart of_all_blocks;
  double total = 0.0;
  for (const auto& [part, seconds] : after) {
    const double spent = seconds - (before.contains(part) ? before.at(part) : 0.0);
    of_all_blocks[part.substr(part.rfind('.') + 1)] += spent;
    total += spent;
  }
  std::vector<std::pair<double, std::string>> parts;
  for (const auto& [part, seconds] : of_all_blocks) parts.emplace_back(seconds, part);
  std::ranges::sort(parts, std::greater());
  std::string line;
  for (const auto& [seconds, name] : parts)
    if (seconds >= 0.005 * total) line += fmt::format("  {} {:.0f}%", name, 100.0 * seconds / total);
  fmt::print("        {}\n", line);
}

void time_step(const BenchmarkSize& size, Index steps, Threads& threads) {
  StepBench bench(size, "learned", threads);
  ProductRate products(threads);
  std::vector<double> rates;
  const std::vector<double> ms = measured(steps, [&] {
    rates.push_back(products.measure());
    bench.step();  // not timed: the products have evicted the model from the caches
    return 1e3 * bench.step();
  });
  rates.erase(rates.begin(), rates.end() - steps);
  std::ranges::sort(rates);
  const double median = ms[ms.size() / 2];
  const double gflops = step_flops(size) / median / 1e6;
  const double product_rate = rates[rates.size() / 2];
  fmt::print("{:<8} {:>9.2f} {:>8.2f} -{:>7.2f} {:>9.1f} {:>9.1f} {:>5.0f}%\n", size.name, median, ms.front(),
             ms.back(), gflops, product_rate, 100.0 * gflops / product_rate);
  time_parts(bench, steps);
}

void time_encodings(const BenchmarkSize& size, Index steps, Threads& threads) {
  fmt::print("\na training step with each encoding, as a multiple of none: {}\n", size.name);
  for (const std::string& encoding : encodings().names())
    fmt::print("{:<16} {:>6.2f}\n", encoding, encoding_cost(size, encoding, steps, threads));
}

int benchmark(const CommandLine& command) {
  const Settings& settings = command.settings;
  const Index steps = settings.integer("benchmark.steps");
  std::vector<std::string> problems;
  const Sizes sizes = sizes_of(settings, "benchmark.sizes", problems);
  const Sizes with_encodings = sizes_of(settings, "benchmark.encodings", problems);
  if (!problems.empty()) throw ConfigError(joined(problems, "\n"));
  if (command.dry_run) {
    for (const BenchmarkSize& size : sizes)
      fmt::print("{:<8} {:.2f} GFLOPs a step\n", size.name, step_flops(size) / 1e9);
    return 0;
  }
  Threads threads(command.threads);
  if (!command.quiet) fmt::print("{}\n", startup_line(threads.count()));
  if (!sizes.empty()) {
    fmt::print("a training step: forward, backward, clipping, AdamW\n{:<8} {:>9} {:>17} {:>9} {:>9} {:>6}\n",
               "size", "ms", "from - to", "GFLOP/s", "products", "share");
  }
  for (const BenchmarkSize& size : sizes) time_step(size, steps, threads);
  for (const BenchmarkSize& size : with_encodings) time_encodings(size, steps, threads);
  return 0;
}

}  // namespace
DriverDescription benchmark_driver() {
  return {.name = "benchmark",
          .summary =
              "Times a training step (forward, backward, clipping, AdamW) on random tokens at several sizes, "
              "compares it with the rate of 512x512x512 products (own or OpenBLAS's, the faster) measured "
              "between the steps, and breaks down the time. On request it also times each encoding "
              "(configs/benchmark.cfg requests all of it). tests/peers/compare compares it with PyTorch.",
          .examples = {"benchmark --config configs/benchmark.cfg", "benchmark --benchmark.sizes=tiny,small"},
          .sections = {"benchmark"},
          .body = benchmark};
}

}  // namespace ordinal::experiments

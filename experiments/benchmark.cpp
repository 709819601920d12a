// benchmark: how fast a training step is at four sizes, and what share that is of the rate of matrix products
// alone.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "experiments/runs/machine.h"
#include "experiments/runs/step_benchmark.h"
#include "experiments/settings/driver.h"
#include "framework/core/errors.h"
#include "framework/storage/atomic_file.h"

namespace ordinal {
namespace {

std::vector<BenchmarkSize> chosen_sizes(const Settings& settings) {
  std::vector<BenchmarkSize> chosen;
  for (const std::string& name : settings.list("benchmark.sizes")) {
    const auto found = std::ranges::find(benchmark_sizes(), name, &BenchmarkSize::name);
    if (found == benchmark_sizes().end()) {
      throw ConfigError(fmt::format("benchmark.sizes: got '{}', expected tiny, small, medium or big", name));
    }
    chosen.push_back(*found);
  }
  return chosen;
}

nlohmann::ordered_json to_json(const StepTiming& timing) {
  return {{"name", timing.size.name},
          {"ms", timing.milliseconds},
          {"ms_fastest", timing.fastest},
          {"ms_slowest", timing.slowest},
          {"tokens_per_s", timing.tokens_per_second},
          {"gflops", timing.gflops},
          {"product_gflops", timing.product_rate},
          {"share_of_peak", timing.share_of_peak},
          {"memory_bytes", timing.memory_bytes}};
}

int benchmark(const CommandLine& command) {
  Threads threads(command.threads);
  const std::vector<BenchmarkSize> sizes = chosen_sizes(command.settings);
  if (!command.quiet) fmt::print("{}\n", startup_line(threads.count()));
  fmt::print("{:<8} {:>9} {:>17} {:>10} {:>9} {:>9} {:>7} {:>10}\n", "size", "ms/step", "from - to",
             "tokens/s", "GFLOP/s", "products", "share", "memory MB");
  nlohmann::ordered_json all = {{"threads", threads.count()}, {"sizes", nlohmann::ordered_json::array()}};
  for (const BenchmarkSize& size : sizes) {
    if (command.dry_run) {
      fmt::print("{:<8} {:.2f} GFLOPs a step\n", size.name, step_flops(size) / 1e9);
      continue;
    }
    const StepTiming timing = time_training_step(size, command.settings.integer("benchmark.steps"), threads);
    fmt::print("{:<8} {:>9.2f} {:>8.2f} -{:>7.2f} {:>10.0f} {:>9.1f} {:>9.1f} {:>6.0f}% {:>10.1f}\n",
               size.name, timing.milliseconds, timing.fastest, timing.slowest, timing.tokens_per_second,
               timing.gflops, timing.product_rate, 100.0 * timing.share_of_peak,
               static_cast<double>(timing.memory_bytes) / 1e6);
    all["sizes"].push_back(to_json(timing));
  }
  if (!command.json.empty()) write_file_atomically(command.json, all.dump(2) + "\n");
  return 0;
}

}  // namespace
}  // namespace ordinal

int main(int argc, char** argv) {
  const ordinal::DriverDescription description{
      .name = "benchmark",
      .summary =
          "Times a training step (forward, backward, clipping, AdamW) on random tokens at several sizes, "
          "beside "
          "the rate of 512x512x512 products measured between the steps. experiments/peers/compare holds it "
          "against PyTorch.",
      .examples = {"benchmark --benchmark.sizes=tiny,small --json timings.json"},
      .sections = {"benchmark"},
      .options = {"json"},
      .required = {},
      .encoding_key = ""};
  return ordinal::run_driver(argc, argv, description, ordinal::benchmark);
}

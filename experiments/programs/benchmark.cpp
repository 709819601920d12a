// benchmark: the speed of a training step relative to plain matrix products, where its time goes, and what each encoding costs.
// The model is a decoder on random tokens, in the sizes of tests/peers.
#include <fmt/format.h>

#include <algorithm>

#include "experiments/process/machine.h"
#include "experiments/process/progress.h"
#include "experiments/process/streams.h"
#include "experiments/programs/driver.h"
#include "experiments/training/summary.h"
#include "framework/core/errors.h"
#include "framework/core/random.h"
#include "framework/math/blas.h"
#include "framework/optimize/optimizer.h"
#include "framework/positional/positional_encoding.h"
#include "framework/positional/sinusoid_table.h"

namespace ordinal::experiments {
namespace {

struct BenchmarkSize {
  const char* name;
  Index vocab_size, d_model, heads, layers, seq_len, batch;

  Index tokens() const { return batch * seq_len; }
};

constexpr BenchmarkSize benchmark_sizes[] = {{"tiny", 32, 64, 4, 2, 64, 32},
                                             {"small", 64, 128, 4, 4, 128, 16},
                                             {"medium", 256, 256, 8, 4, 256, 8},
                                             {"big", 1024, 512, 8, 6, 512, 4}};
using Sizes = std::vector<BenchmarkSize>;

// The sizes that a key names. Adds a line to `problems` for each unknown name.
Sizes sizes_of(const std::vector<std::string>& names, const char* key, std::vector<std::string>& problems) {
  Sizes sizes;
  for (const std::string& name : names) {
    const auto* found = std::ranges::find(benchmark_sizes, name, &BenchmarkSize::name);
    if (found != std::end(benchmark_sizes)) {
      sizes.push_back(*found);
    } else {
      problems.push_back(fmt::format("{}: got '{}', expected tiny, small, medium or big", key, name));
    }
  }
  return sizes;
}

Transformer<float> model_of(const BenchmarkSize& size, const std::string& encoding) {
  return Transformer<float>({.vocab_size = size.vocab_size,
                             .d_model = size.d_model,
                             .layers = size.layers,
                             .heads = size.heads,
                             .encoding = encoding,
                             .train_length = size.seq_len,
                             .longest = size.seq_len});
}

// Floating-point operations of a training step, in billions.
double step_gflops(const BenchmarkSize& size) {
  const double per_token = training_flops_per_token(model_of(size, "learned"), size.seq_len);
  return static_cast<double>(size.tokens()) * per_token / 1e9;
}

// The same tokens each time, which are their own targets.
Batch random_batch(const BenchmarkSize& size) {
  Batch batch{size.batch, size.seq_len, {}, {}};
  Random random({.seed = 1, .purpose = hash_name("benchmark")});
  for (Index i = 0; i < size.tokens(); ++i)
    batch.tokens.push_back(static_cast<Token>(random.below(static_cast<std::uint32_t>(size.vocab_size))));
  batch.targets = batch.tokens;
  return batch;
}

// A model with everything needed to train it on random tokens.
struct StepBench {
  StepBench(const BenchmarkSize& size, const std::string& encoding, Threads& threads,
            const std::string& optimizer = "adamw")
      : model(model_of(size, encoding)),
        trainer(model,
                {.optimizer = optimizer, .schedule = {}, .shards = default_shards(size.batch, size.seq_len)},
                threads),
        batch(random_batch(size)) {}

  // The seconds that a step takes: forward, backward, clipping by norm, optimizer.
  double step() {
    const Pace pace;
    trainer.step({&batch, 1});
    return pace.seconds();
  }

  Transformer<float> model;
  Trainer<float> trainer;
  Batch batch;
};

// The medians of what two functions return in turn, after three rounds to warm up.
std::pair<double, double> medians(Index rounds, const auto& first, const auto& second) {
  std::vector<double> of_first, of_second;
  for (Index i = -3; i < rounds; ++i) {
    const double a = first();
    const double b = second();
    if (i < 0) continue;
    of_first.push_back(a);
    of_second.push_back(b);
  }
  for (auto* values : {&of_first, &of_second}) std::ranges::sort(*values);
  const std::size_t middle = of_first.size() / 2;
  return {of_first[middle], of_second[middle]};
}

// GFLOP/s of all threads together in products of 512x512x512, one stream on each: the reference rate for a step. Those of the
// framework or of OpenBLAS, whichever are faster.
double product_rate(Threads& threads) {
  constexpr Index size = 512;
  constexpr Index at_a_time = 4;
  std::vector<Tensor<float>> matrices;
  for (int i = 0; i < threads.count(); ++i) matrices.emplace_back(Shape{3 * size, size});
  const auto rate = [&](const auto& product) {
    const Pace pace;
    threads.run(threads.count(), [&](Index worker) {
      const View<float> all = matrices[static_cast<std::size_t>(worker)].view();
      for (Index i = 0; i < at_a_time; ++i)
        product(all.row_range(0, size), all.row_range(size, size), all.row_range(2 * size, size));
    });
    const double flops = 2.0 * static_cast<double>(threads.count() * at_a_time * size * size * size);
    return flops / pace.seconds() / 1e9;
  };
  return std::max(rate([](const auto& a, const auto& b, const auto& c) { multiply<float>(a, b, c); }),
                  rate(multiply_by_openblas<float>));
}

// Prints the shares of the time of as many steps, longest first.
void time_parts(const BenchmarkSize& size, Index steps, Threads& threads) {
  StepBench bench(size, "learned", threads);
  bench.trainer.measure_parts();
  for (Index i = 0; i < steps; ++i) bench.step();
  SecondsByPart of_all_blocks;
  double total = 0.0;
  for (const auto& [part, seconds] : bench.trainer.seconds_by_part()) {
    of_all_blocks[part.substr(part.rfind('.') + 1)] += seconds;
    total += seconds;
  }
  std::vector<std::pair<double, std::string>> parts;
  for (const auto& [part, seconds] : of_all_blocks) parts.emplace_back(seconds, part);
  std::ranges::sort(parts, std::greater());
  std::string line;
  for (const auto& [seconds, name] : parts)
    if (seconds >= 0.005 * total) line += fmt::format("  {} {:.0f}%", name, 100.0 * seconds / total);
  say_on_stdout(fmt::format("        {}\n", line));
}

void time_step(const BenchmarkSize& size, Index steps, Threads& threads) {
  StepBench bench(size, "learned", threads);
  const auto [seconds, rate] = medians(
      steps,
      [&] {
        bench.step();  // the products have evicted the model from the caches
        return bench.step();
      },
      [&] { return product_rate(threads); });
  const double gflops = step_gflops(size) / seconds;
  say_on_stdout(fmt::format("{:<8} {:>9.2f} {:>9.1f} {:>9.1f} {:>5.0f}%\n", size.name, 1e3 * seconds, gflops,
                            rate, 100.0 * gflops / rate));
  time_parts(size, steps, threads);
}

void time_encodings(const BenchmarkSize& size, Index steps, Threads& threads) {
  say_on_stdout(fmt::format("\na training step with each encoding, as a multiple of none: {}\n", size.name));
  for (const std::string& encoding : encodings().names()) {
    StepBench bench(size, encoding, threads);
    StepBench none(size, "none", threads);
    const auto [with, without] = medians(
        steps, [&] { return bench.step(); }, [&] { return none.step(); });
    say_on_stdout(fmt::format("{:<16} {:>6.2f}\n", encoding, with / without));
  }
}

void time_optimizers(const BenchmarkSize& size, Index steps, Threads& threads) {
  say_on_stdout(
      fmt::format("\na training step with each optimizer, as a multiple of adamw: {}\n", size.name));
  for (const std::string& optimizer : optimizers().names()) {
    StepBench bench(size, "none", threads, optimizer);
    StepBench adamw(size, "none", threads);
    const auto [with, without] = medians(
        steps, [&] { return bench.step(); }, [&] { return adamw.step(); });
    say_on_stdout(fmt::format("{:<16} {:>6.2f}\n", optimizer, with / without));
  }
}

// How much faster the sines of all positions are looked up in a table than computed.
void time_sines(const BenchmarkSize& size, Index steps) {
  const auto columns = sines_then_cosines(sinusoidal_frequencies(size.d_model));
  const SinusoidTable<float> kept(columns, size.seq_len);
  const SinusoidTable<float> computed(columns, 0);
  std::vector<float> row(static_cast<std::size_t>(size.d_model));
  const auto seconds = [&](const SinusoidTable<float>& table) {
    const Pace pace;
    for (Index i = 0; i < size.tokens(); ++i) table.write(static_cast<double>(i % size.seq_len), row.data());
    return pace.seconds();
  };
  const auto [looked_up, sines] = medians(
      steps, [&] { return seconds(kept); }, [&] { return seconds(computed); });
  say_on_stdout(
      fmt::format("a table of sines is {:.0f} times as fast as computing them\n", sines / looked_up));
}

int benchmark(const CommandLine& command) {
  const Settings& settings = command.settings;
  const Index steps = settings->benchmark.steps;
  std::vector<std::string> problems;
  const Sizes sizes = sizes_of(settings->benchmark.sizes, "benchmark.sizes", problems);
  const Sizes with_encodings = sizes_of(settings->benchmark.encodings, "benchmark.encodings", problems);
  if (!problems.empty()) throw ConfigError(joined(problems, "\n"));
  if (command.dry_run) {
    for (const BenchmarkSize& size : sizes)
      say_on_stdout(fmt::format("{:<8} {:.2f} GFLOPs a step\n", size.name, step_gflops(size)));
    return 0;
  }
  Threads threads(command.threads);
  if (!command.quiet) say_on_stdout(startup_line(threads.count()) + "\n");
  say_on_stdout(
      fmt::format("a training step: forward, backward, clipping, AdamW\n{:<8} {:>9} {:>9} {:>9} {:>6}\n",
                  "size", "ms", "GFLOP/s", "products", "share"));
  for (const BenchmarkSize& size : sizes) time_step(size, steps, threads);
  for (const BenchmarkSize& size : with_encodings) {
    time_encodings(size, steps, threads);
    time_optimizers(size, steps, threads);
    time_sines(size, steps);
  }
  return 0;
}

}  // namespace
DriverDescription benchmark_driver() {
  return {.name = "benchmark",
          .summary =
              "Times a training step (forward, backward, clipping, AdamW) on random tokens at several sizes, "
              "next to 512x512x512 products (own or OpenBLAS's, the faster), and breaks down its time. On "
              "request it also times each encoding (configs/benchmark.cfg requests all).",
          .examples = {"benchmark --config configs/benchmark.cfg", "benchmark --benchmark.sizes=tiny,small"},
          .sections = {"benchmark"},
          .body = benchmark};
}

}  // namespace ordinal::experiments

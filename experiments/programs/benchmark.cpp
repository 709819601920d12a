// benchmark: speed of training, evaluation and generation, a breakdown of the time, and throughput relative
// to plain matrix products.
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

#include "experiments/benchmark/step.h"
#include "experiments/process/machine.h"
#include "experiments/process/timing.h"
#include "experiments/programs/driver.h"
#include "framework/core/text.h"
#include "framework/positional/positional_encoding.h"
#include "framework/storage/atomic_file.h"
#include "framework/training/evaluation.h"
#include "models/generation.h"
#include "models/summary.h"

namespace ordinal::experiments {
namespace {

using Json = nlohmann::ordered_json;
using Sizes = std::vector<BenchmarkSize>;

// What the keys request. Throws ConfigError with a line for each problem.
struct Request {
  Sizes sizes;                 // of training steps
  Sizes forward;               // of forward passes
  Sizes encodings;             // of training steps with each encoding
  std::vector<Index> lengths;  // of evaluation
};

// The size given by the settings.
BenchmarkSize configured(const Settings& settings) {
  const Index vocab_size = settings.integer("model.vocab_size");
  return {.name = "config",
          .vocab_size = vocab_size > 0 ? vocab_size : 256,
          .d_model = settings.integer("model.d_model"),
          .heads = settings.integer("model.heads"),
          .layers = settings.integer("model.layers"),
          .seq_len = settings.integer("task.train_length"),
          .batch = settings.integer("train.batch")};
}

Request request_of(const Settings& settings) {
  Request request;
  std::vector<std::string> problems;
  Sizes known = benchmark_sizes();
  known.push_back(configured(settings));
  bool uses_config = false;
  for (const auto& [key, sizes] : {std::pair{"benchmark.sizes", &request.sizes},
                                   {"benchmark.forward", &request.forward},
                                   {"benchmark.encodings", &request.encodings}}) {
    for (const std::string& name : settings.list(key)) {
      const auto found = std::ranges::find(known, name, &BenchmarkSize::name);
      uses_config = uses_config || name == "config";
      if (found != known.end()) {
        sizes->push_back(*found);
      } else {
        problems.push_back(
            fmt::format("{}: got '{}', expected tiny, small, medium, big or config", key, name));
      }
    }
  }
  for (const std::string& item : settings.list("benchmark.lengths")) {
    request.lengths.push_back(parse_integer(item).value_or(0));
    if (request.lengths.back() < 1 || request.lengths.back() > 1'000'000)
      problems.push_back(
          fmt::format("benchmark.lengths: got '{}', expected a length from 1 to 1000000", item));
  }
  for (const char* key : {"model.d_model", "model.heads", "model.layers", "model.vocab_size",
                          "task.train_length", "train.batch"}) {
    if (uses_config || settings.origin(key) != command_line_origin) continue;
    problems.push_back(fmt::format("{}: only the size config uses it; add --benchmark.sizes=config", key));
  }
  if (!problems.empty()) throw ConfigError(joined(problems, "\n"));
  return request;
}

// A model with random weights.
struct RandomModel {
  explicit RandomModel(const ModelConfig& config) : model(config), values(model.layout()) {
    initialize(values, 1);
  }
  Transformer<float> model;
  Parameters<float> values;
};

// A decoder of 2 layers with d_model 64 and 4 heads, sinusoidal positions.
ModelConfig small_decoder(Index seq_len) {
  ModelConfig config = BenchmarkSize{"", 256, 64, 4, 2, 64}.model("sinusoidal");
  config.longest = seq_len;
  return config;
}

// The peak memory of the process since it started, in bytes.
Index peak_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<Index>(usage.ru_maxrss) * 1024;
}

double per_second(Index tokens, double milliseconds) {
  return 1e3 * static_cast<double>(tokens) / milliseconds;
}

// Runs one measurement after the other, and prints a line for each.
class Report {
 public:
  Report(const Settings& settings, Threads& threads)
      : repeats_(settings.integer("benchmark.steps")), threads_(threads) {
    json["threads"] = threads.count();
  }

  void steps(const Sizes& sizes) {
    fmt::print(
        "a training step: forward, backward, clipping, AdamW\n{:<8} {:>9} {:>17} {:>10} {:>9} {:>9} {:>6} "
        "{:>10} {:>12}\n",
        "size", "ms", "from - to", "tokens/s", "GFLOP/s", "products", "share", "memory MB", "allocations");
    for (const BenchmarkSize& size : sizes) step(size);
  }

  void forward(const Sizes& sizes) {
    fmt::print("\nforward only, the same batch\n{:<8} {:>9} {:>10} {:>9}\n", "size", "ms", "tokens/s",
               "GFLOP/s");
    for (const BenchmarkSize& size : sizes) {
      const RandomModel random(size.model());
      Evaluator<float> evaluator(random.model, random.values, threads_);
      const Batch batch = random_batch(size.batch, size.seq_len, size.vocab_size);
      const double ms =
          1e3 * median(measured(repeats_, [&] { return seconds_of([&] { evaluator.score(batch); }); }));
      const double tokens = per_second(size.tokens(), ms);
      const double gflops = step_flops(size) / 3.0 / ms / 1e6;
      fmt::print("{:<8} {:>9.2f} {:>10.0f} {:>9.1f}\n", size.name, ms, tokens, gflops);
      json["forward"].push_back(
          Json{{"name", size.name}, {"ms", ms}, {"tokens_per_s", tokens}, {"gflops", gflops}});
    }
  }

  // Counts only the visible half of attention, as for an unmasked sequence of half the length.
  void evaluation(const std::vector<Index>& lengths) {
    fmt::print(
        "\nevaluation of one sequence on one thread: 2 layers, d_model 64; FLOPs of the visible half\n"
        "{:<8} {:>9} {:>9} {:>9} {:>13}\n",
        "tokens", "seconds", "GFLOP/s", "products", "peak memory MB");
    for (const Index length : lengths) {
      const RandomModel random(small_decoder(length));
      const Index vocab_size = random.model.config().vocab_size;
      Threads one(1);
      Evaluator<float> evaluator(random.model, random.values, one);
      const Batch batch = random_batch(1, length, vocab_size);
      evaluator.score(random_batch(1, std::min<Index>(length, 1024), vocab_size));
      const double rate = ProductRate(one).measure();
      const double seconds = seconds_of([&] { evaluator.score(batch); });
      const double gflops = static_cast<double>(length) * random.model.cost(length / 2).flops / seconds / 1e9;
      const Index peak = peak_memory();
      fmt::print("{:<8} {:>9.3f} {:>9.1f} {:>9.1f} {:>13.0f}\n", length, seconds, gflops, rate,
                 static_cast<double>(peak) / 1e6);
      json["evaluation"].push_back(Json{{"tokens", length},
                                        {"seconds", seconds},
                                        {"gflops", gflops},
                                        {"product_gflops", rate},
                                        {"peak_bytes", peak}});
    }
  }

  void generation(Index length) {
    const RandomModel random(small_decoder(length + 1));
    const std::vector<Token> prompt = {1};
    const double seconds =
        seconds_of([&] { generate<float>(random.model, random.values, prompt, {.length = length}); });
    const double rate = static_cast<double>(length) / seconds;
    fmt::print("\ngeneration with a key/value cache, one thread: {} tokens at {:.0f} tokens/s\n", length,
               rate);
    json["generation"] = {{"tokens", length}, {"tokens_per_s", rate}};
  }

  void encodings(const Sizes& sizes) {
    for (const BenchmarkSize& size : sizes) {
      fmt::print("\na training step with each encoding, as a multiple of none: {}\n", size.name);
      for (const std::string& encoding : ordinal::encodings().names()) {
        const double ratio = encoding_cost(size, encoding, repeats_, threads_);
        fmt::print("{:<16} {:>6.2f}\n", encoding, ratio);
        json["encodings"].push_back(Json{{"size", size.name}, {"name", encoding}, {"ratio", ratio}});
      }
    }
  }

  Json json;

 private:
  void step(const BenchmarkSize& size) {
    StepBench bench(size, "learned", threads_);
    ProductRate products(threads_);
    std::vector<double> rates;
    std::vector<Index> allocated;
    std::vector<double> ms = measured(repeats_, [&] {
      rates.push_back(products.measure());
      bench.step();  // not timed: the products have evicted the model from the caches
      const Index before = allocation_count();
      const double seconds = bench.step();
      allocated.push_back(allocation_count() - before);
      return 1e3 * seconds;
    });
    rates.erase(rates.begin(), rates.end() - repeats_);
    const double allocations =
        static_cast<double>(std::accumulate(allocated.end() - repeats_, allocated.end(), Index{0})) /
        static_cast<double>(repeats_);
    const auto [fastest, slowest] = std::ranges::minmax(ms);
    const double usual = median(ms);
    const double gflops = step_flops(size) / usual / 1e6;
    const double product_rate = median(rates);
    const Index memory = bench.trainer.memory_bytes();
    fmt::print("{:<8} {:>9.2f} {:>8.2f} -{:>7.2f} {:>10.0f} {:>9.1f} {:>9.1f} {:>5.0f}% {:>10.1f} {:>12g}\n",
               size.name, usual, fastest, slowest, per_second(size.tokens(), usual), gflops, product_rate,
               100.0 * gflops / product_rate, static_cast<double>(memory) / 1e6, allocations);
    json["sizes"].push_back(Json{{"name", size.name},
                                 {"ms", usual},
                                 {"ms_fastest", fastest},
                                 {"ms_slowest", slowest},
                                 {"tokens_per_s", per_second(size.tokens(), usual)},
                                 {"gflops", gflops},
                                 {"product_gflops", product_rate},
                                 {"share_of_peak", gflops / product_rate},
                                 {"memory_bytes", memory},
                                 {"allocations_per_step", allocations},
                                 {"parts_ms", parts_of(bench)}});
  }

  // Runs as many steps again and prints where the time goes. Returns milliseconds per thread and step, longest first.
  Json parts_of(StepBench& bench) {
    bench.trainer.measure_parts();
    const auto before = bench.trainer.seconds_by_part();
    for (Index i = 0; i < repeats_; ++i) bench.step();
    const auto after = bench.trainer.seconds_by_part();
    std::vector<std::pair<std::string, double>> parts;
    for (std::size_t p = 0; p < work_count; ++p) {
      parts.emplace_back(work_names[p],
                         1e3 * (after[p] - before[p]) / static_cast<double>(repeats_ * threads_.count()));
    }
    std::ranges::sort(parts, std::greater(), &std::pair<std::string, double>::second);
    double total = 0.0;
    for (const auto& [name, milliseconds] : parts) total += milliseconds;
    std::string line;
    Json json_parts;
    for (const auto& [name, milliseconds] : parts) {
      json_parts[name] = milliseconds;
      if (milliseconds >= 0.005 * total)
        line += fmt::format("  {} {:.0f}%", name, 100.0 * milliseconds / total);
    }
    fmt::print("        {}\n", line);
    return json_parts;
  }

  Index repeats_;
  Threads& threads_;
};

int benchmark(const CommandLine& command) {
  const Settings& settings = command.settings;
  Threads threads(command.threads);
  const Request request = request_of(settings);
  if (command.dry_run) {
    for (const BenchmarkSize& size : request.sizes)
      fmt::print("{:<8} {:.2f} GFLOPs a step\n", size.name, step_flops(size) / 1e9);
    return 0;
  }
  if (!command.quiet) fmt::print("{}\n", startup_line(threads.count()));
  // Fails on an unwritable file before the measurements, which take minutes.
  if (!command.json.empty()) {
    const bool there = std::filesystem::is_regular_file(command.json);
    write_file_atomically(command.json, there ? read_file(command.json, largest_document) : "{}\n");
  }
  Report report(settings, threads);
  const Index generated = settings.integer("benchmark.generate");
  if (!request.sizes.empty()) report.steps(request.sizes);
  if (!request.forward.empty()) report.forward(request.forward);
  if (!request.lengths.empty()) report.evaluation(request.lengths);
  if (generated > 0) report.generation(generated);
  if (!request.encodings.empty()) report.encodings(request.encodings);
  if (!command.json.empty()) write_file_atomically(command.json, report.json.dump(2) + "\n");
  return 0;
}

}  // namespace
DriverDescription benchmark_driver() {
  return {
      .name = "benchmark",
      .summary =
          "Times a training step (forward, backward, clipping, AdamW) on random tokens at several sizes, "
          "compares it with the rate of 512x512x512 products (own or OpenBLAS's, the faster) measured "
          "between the steps, and breaks down the "
          "time. On request it also times forward runs, long evaluation, generation and each encoding "
          "(configs/benchmark.cfg requests all of them). tests/peers/compare compares it with PyTorch.",
      .examples =
          {"benchmark --config configs/benchmark.cfg",
           "benchmark --benchmark.sizes=tiny,small --json timings.json",
           "benchmark --benchmark.sizes=config --model.d_model=96 --model.layers=3 --task.train_length=256"},
      .sections = {"benchmark"},
      .keys = {"model.d_model", "model.heads", "model.layers", "model.vocab_size", "task.train_length",
               "train.batch"},
      .options = {"json"},
      .body = benchmark};
}

}  // namespace ordinal::experiments

#include "experiments/benchmark/report.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

#include "experiments/benchmark/step.h"
#include "experiments/process/machine.h"
#include "experiments/process/timing.h"
#include "framework/core/number.h"
#include "framework/positional/positional_encoding.h"
#include "framework/storage/atomic_file.h"
#include "framework/training/evaluation.h"
#include "models/generation.h"
#include "models/summary.h"

namespace ordinal::experiments {
namespace {

using Json = nlohmann::ordered_json;
using Sizes = std::vector<BenchmarkSize>;

// What the keys ask for, and what is wrong with them.
class Request {
 public:
  Sizes sizes;                 // of training steps
  Sizes forward;               // of forward passes
  Sizes encodings;             // of training steps with each encoding
  std::vector<Index> lengths;  // of evaluation

  explicit Request(const Settings& settings) : settings_(settings) {
    sizes = sizes_of("benchmark.sizes");
    forward = sizes_of("benchmark.forward");
    encodings = sizes_of("benchmark.encodings");
    lengths = lengths_of("benchmark.lengths");
    for (const char* key : {"model.d_model", "model.heads", "model.layers", "model.vocab_size",
                            "task.train_length", "train.batch"}) {
      if (uses_config_ || settings.origin(key) != command_line_origin) continue;
      problem(key, "only the size config uses it; add --benchmark.sizes=config");
    }
    if (!problems_.empty()) throw ConfigError(joined(problems_, "\n"));
  }

 private:
  void problem(const std::string& key, const std::string& what) { problems_.push_back(key + ": " + what); }

  Sizes sizes_of(const std::string& key) {
    Sizes chosen;
    for (const std::string& name : settings_.list(key)) {
      const auto found = std::ranges::find(benchmark_sizes(), name, &BenchmarkSize::name);
      if (name == "config") {
        uses_config_ = true;
        chosen.push_back(config());
      } else if (found != benchmark_sizes().end()) {
        chosen.push_back(*found);
      } else {
        problem(key, fmt::format("got '{}', expected tiny, small, medium, big or config", name));
      }
    }
    return chosen;
  }

  // The size given by the settings.
  BenchmarkSize config() const {
    const Index vocab_size = settings_.integer("model.vocab_size");
    return {.name = "config",
            .vocab_size = vocab_size > 0 ? vocab_size : 256,
            .d_model = settings_.integer("model.d_model"),
            .heads = settings_.integer("model.heads"),
            .layers = settings_.integer("model.layers"),
            .seq_len = settings_.integer("task.train_length"),
            .batch = settings_.integer("train.batch")};
  }

  std::vector<Index> lengths_of(const std::string& key) {
    std::vector<Index> lengths;
    for (const std::string& item : settings_.list(key)) {
      const auto length = parse_integer(item);
      if (length && *length >= 1 && *length <= 1'000'000) {
        lengths.push_back(*length);
      } else {
        problem(key, fmt::format("got '{}', expected a length from 1 to 1000000", item));
      }
    }
    return lengths;
  }

  const Settings& settings_;
  std::vector<std::string> problems_;
  bool uses_config_ = false;
};

// A decoder of 2 layers with d_model 64 and 4 heads, sinusoidal positions.
ModelConfig small_decoder(Index seq_len) {
  ModelConfig config = BenchmarkSize{"", 256, 64, 4, 2, 64}.model("sinusoidal");
  config.longest = seq_len;
  return config;
}

// Of the process, since it began.
Index peak_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<Index>(usage.ru_maxrss) * 1024;
}

double per_second(Index tokens, double milliseconds) {
  return 1e3 * static_cast<double>(tokens) / milliseconds;
}

// Times one thing after the other, and prints a line for each.
class Report {
 public:
  Report(const Settings& settings, Threads& threads, const std::function<Index()>& allocations)
      : repeats_(settings.integer("benchmark.steps")), threads_(threads), allocations_(allocations) {
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
      const Transformer<float> model(size.model());
      Parameters<float> values(model.layout());
      initialize(values, 1);
      Evaluator<float> evaluator(model, values, threads_);
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

  // Attention is counted for the visible half only, as for a sequence of half the length, unmasked.
  void evaluation(const std::vector<Index>& lengths) {
    fmt::print(
        "\nevaluation of one sequence on one thread: 2 layers, d_model 64; FLOPs of the visible half\n"
        "{:<8} {:>9} {:>9} {:>9} {:>13}\n",
        "tokens", "seconds", "GFLOP/s", "products", "peak memory MB");
    for (const Index length : lengths) {
      const Transformer<float> model(small_decoder(length));
      Parameters<float> values(model.layout());
      initialize(values, 1);
      Threads one(1);
      Evaluator<float> evaluator(model, values, one);
      const Batch batch = random_batch(1, length, model.config().vocab_size);
      evaluator.score(random_batch(1, std::min<Index>(length, 1024), model.config().vocab_size));
      const double rate = ProductRate(one).measure();
      const double seconds = seconds_of([&] { evaluator.score(batch); });
      const double gflops =
          static_cast<double>(length) * forward_flops_per_token(model, length / 2) / seconds / 1e9;
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
    const Transformer<float> model(small_decoder(length + 1));
    Parameters<float> values(model.layout());
    initialize(values, 1);
    const std::vector<Token> prompt = {1};
    const double seconds = seconds_of([&] { generate<float>(model, values, prompt, {.length = length}); });
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
      const Index before = allocations_();
      const double seconds = bench.step();
      allocated.push_back(allocations_() - before);
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

  // Prints where the time of as many steps again goes. Returns milliseconds of a thread in a step, the longest first.
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
  const std::function<Index()>& allocations_;
};

}  // namespace

int run_benchmark(const CommandLine& command, const std::function<Index()>& allocations) {
  const Settings& settings = command.settings;
  Threads threads(command.threads);
  const Request request(settings);
  if (command.dry_run) {
    for (const BenchmarkSize& size : request.sizes)
      fmt::print("{:<8} {:.2f} GFLOPs a step\n", size.name, step_flops(size) / 1e9);
    return 0;
  }
  if (!command.quiet) fmt::print("{}\n", startup_line(threads.count()));
  // Fails on an unwritable file before the work, which takes minutes.
  if (!command.json.empty()) {
    const bool there = std::filesystem::is_regular_file(command.json);
    write_file_atomically(command.json, there ? read_file(command.json, largest_document) : "{}\n");
  }
  Report report(settings, threads, allocations);
  const Index generated = settings.integer("benchmark.generate");
  if (!request.sizes.empty()) report.steps(request.sizes);
  if (!request.forward.empty()) report.forward(request.forward);
  if (!request.lengths.empty()) report.evaluation(request.lengths);
  if (generated > 0) report.generation(generated);
  if (!request.encodings.empty()) report.encodings(request.encodings);
  if (!command.json.empty()) write_file_atomically(command.json, report.json.dump(2) + "\n");
  return 0;
}

}  // namespace ordinal::experiments

// benchmark: speed of training, evaluation and generation, a breakdown of the time, and throughput relative
// to plain matrix products.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <new>
#include <nlohmann/json.hpp>

#include "experiments/runs/benchmark_request.h"
#include "experiments/runs/inference_benchmark.h"
#include "experiments/runs/machine.h"
#include "experiments/runs/step_benchmark.h"
#include "experiments/settings/driver.h"
#include "framework/positional/positional_encoding.h"
#include "framework/storage/atomic_file.h"

// Only this program counts its allocations.
namespace {

// operator new can only count in a global.
// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables)
std::atomic<std::ptrdiff_t> allocation_count = 0;

void* counted(std::size_t size, std::size_t alignment) {
  ++allocation_count;
  const std::size_t rounded = (size + alignment - 1) / alignment * alignment;
  void* memory = std::aligned_alloc(alignment, std::max(rounded, alignment));
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

// Not inlined: GCC would warn of a mismatch if it inlined only one of `new` and `free`.
[[gnu::noinline]] void* operator new(std::size_t size) { return counted(size, alignof(std::max_align_t)); }
[[gnu::noinline]] void* operator new(std::size_t size, std::align_val_t alignment) {
  return counted(size, static_cast<std::size_t>(alignment));
}
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t& /*tag*/) noexcept {
  return counted(size, alignof(std::max_align_t));
}
// NOLINTBEGIN(cppcoreguidelines-no-malloc)
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t /*size*/) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::align_val_t /*alignment*/) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t /*size*/,
                                       std::align_val_t /*alignment*/) noexcept {
  std::free(memory);
}
// NOLINTEND(cppcoreguidelines-no-malloc)

namespace ordinal::experiments {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(const StepTiming& timing) {
  Json parts;
  for (const auto& [name, milliseconds] : timing.parts) parts[name] = milliseconds;
  return {{"name", timing.size.name},
          {"ms", timing.milliseconds},
          {"ms_fastest", timing.fastest},
          {"ms_slowest", timing.slowest},
          {"tokens_per_s", timing.tokens_per_second},
          {"gflops", timing.gflops},
          {"product_gflops", timing.product_rate},
          {"share_of_peak", timing.share_of_peak},
          {"memory_bytes", timing.memory_bytes},
          {"allocations_per_step", timing.allocations},
          {"parts_ms", parts}};
}

class Report {
 public:
  Report(const Settings& settings, Threads& threads) : settings_(settings), threads_(threads) {
    json_["threads"] = threads.count();
  }

  void steps(const std::vector<BenchmarkSize>& sizes) {
    fmt::print(
        "a training step: forward, backward, clipping, AdamW\n{:<8} {:>9} {:>17} {:>10} {:>9} {:>9} {:>6} "
        "{:>10} {:>12}\n",
        "size", "ms", "from - to", "tokens/s", "GFLOP/s", "products", "share", "memory MB", "allocations");
    json_["sizes"] = Json::array();
    for (const BenchmarkSize& size : sizes) {
      const StepTiming t =
          time_training_step(size, repeats(), threads_, [] { return Index{allocation_count}; });
      fmt::print(
          "{:<8} {:>9.2f} {:>8.2f} -{:>7.2f} {:>10.0f} {:>9.1f} {:>9.1f} {:>5.0f}% {:>10.1f} {:>12g}\n",
          size.name, t.milliseconds, t.fastest, t.slowest, t.tokens_per_second, t.gflops, t.product_rate,
          100.0 * t.share_of_peak, static_cast<double>(t.memory_bytes) / 1e6, t.allocations);
      double total = 0.0;
      for (const auto& [name, milliseconds] : t.parts) total += milliseconds;
      std::string parts;
      for (const auto& [name, milliseconds] : t.parts) {
        if (milliseconds >= 0.005 * total)
          parts += fmt::format("  {} {:.0f}%", name, 100.0 * milliseconds / total);
      }
      fmt::print("        {}\n", parts);
      json_["sizes"].push_back(to_json(t));
    }
  }

  void forward(const std::vector<BenchmarkSize>& sizes) {
    fmt::print("\nforward only, the same batch\n{:<8} {:>9} {:>10} {:>9}\n", "size", "ms", "tokens/s",
               "GFLOP/s");
    for (const BenchmarkSize& size : sizes) {
      const ForwardTiming t = time_forward(size, repeats(), threads_);
      fmt::print("{:<8} {:>9.2f} {:>10.0f} {:>9.1f}\n", t.size, t.milliseconds, t.tokens_per_second,
                 t.gflops);
      json_["forward"].push_back(Json{{"name", t.size},
                                      {"ms", t.milliseconds},
                                      {"tokens_per_s", t.tokens_per_second},
                                      {"gflops", t.gflops}});
    }
  }

  void evaluation(const std::vector<Index>& lengths) {
    fmt::print(
        "\nevaluation of one sequence on one thread: 2 layers, d_model 64; FLOPs of the visible half\n"
        "{:<8} {:>9} {:>9} {:>9} {:>13}\n",
        "tokens", "seconds", "GFLOP/s", "products", "peak memory MB");
    for (const Index length : lengths) {
      const EvaluationTiming t = time_evaluation(length);
      fmt::print("{:<8} {:>9.3f} {:>9.1f} {:>9.1f} {:>13.0f}\n", t.seq_len, t.seconds, t.gflops, t.rate,
                 static_cast<double>(t.peak_bytes) / 1e6);
      json_["evaluation"].push_back(Json{{"tokens", t.seq_len},
                                         {"seconds", t.seconds},
                                         {"gflops", t.gflops},
                                         {"product_gflops", t.rate},
                                         {"peak_bytes", t.peak_bytes}});
    }
  }

  void generation() {
    const GenerationTiming t = time_generation(settings_.integer("benchmark.generate"));
    fmt::print("\ngeneration with a key/value cache, one thread: {} tokens at {:.0f} tokens/s\n", t.length,
               t.tokens_per_second);
    json_["generation"] = {{"tokens", t.length}, {"tokens_per_s", t.tokens_per_second}};
  }

  void encodings(const std::vector<BenchmarkSize>& sizes) {
    for (const BenchmarkSize& size : sizes) {
      fmt::print("\na training step with each encoding, as a multiple of none: {}\n", size.name);
      for (const EncodingCost& cost :
           time_encodings(size, ordinal::encodings().names(), repeats(), threads_)) {
        fmt::print("{:<16} {:>6.2f}\n", cost.encoding, cost.ratio);
        json_["encodings"].push_back(
            Json{{"size", cost.size}, {"name", cost.encoding}, {"ratio", cost.ratio}});
      }
    }
  }

  const Json& json() const { return json_; }

 private:
  Index repeats() const { return settings_.integer("benchmark.steps"); }

  const Settings& settings_;
  Threads& threads_;
  Json json_;
};

void dry_run(const BenchmarkRequest& request) {
  for (const BenchmarkSize& size : request.sizes)
    fmt::print("{:<8} {:.2f} GFLOPs a step\n", size.name, step_flops(size) / 1e9);
}

int benchmark(const CommandLine& command) {
  const Settings& settings = command.settings;
  Threads threads(command.threads);
  const BenchmarkRequest request = benchmark_request(settings);
  if (command.dry_run) {
    dry_run(request);
    return 0;
  }
  if (!command.quiet) fmt::print("{}\n", startup_line(threads.count()));
  // Fails on an unwritable file before the work, which takes minutes.
  if (!command.json.empty()) {
    const bool there = std::filesystem::is_regular_file(command.json);
    write_file_atomically(command.json, there ? read_file(command.json, largest_document) : "{}\n");
  }
  Report report(settings, threads);
  if (!request.sizes.empty()) report.steps(request.sizes);
  if (!request.forward.empty()) report.forward(request.forward);
  if (!request.lengths.empty()) report.evaluation(request.lengths);
  if (settings.integer("benchmark.generate") > 0) report.generation();
  if (!request.encodings.empty()) report.encodings(request.encodings);
  if (!command.json.empty()) write_file_atomically(command.json, report.json().dump(2) + "\n");
  return 0;
}

}  // namespace
}  // namespace ordinal::experiments

int main(int argc, char** argv) {
  const ordinal::experiments::DriverDescription description{
      .name = "benchmark",
      .summary =
          "Times a training step (forward, backward, clipping, AdamW) on random tokens at several sizes, "
          "compares it with the rate of 512x512x512 products measured between the steps, and breaks down the "
          "time. On request it also times forward runs, long evaluation, generation and each encoding "
          "(configs/benchmark.cfg requests all of them). experiments/peers/compare compares it with "
          "PyTorch.",
      .examples =
          {"benchmark --config configs/benchmark.cfg",
           "benchmark --benchmark.sizes=tiny,small --json timings.json",
           "benchmark --benchmark.sizes=config --model.d_model=96 --model.layers=3 --task.train_length=256"},
      .sections = {"benchmark"},
      .keys = {"model.d_model", "model.heads", "model.layers", "model.vocab_size", "task.train_length",
               "train.batch"},
      .options = {"json"},
      .body = ordinal::experiments::benchmark};
  return ordinal::experiments::run_driver(argc, argv, description);
}

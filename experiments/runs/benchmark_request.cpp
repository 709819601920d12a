#include "experiments/runs/benchmark_request.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "framework/core/errors.h"
#include "framework/core/number.h"

namespace ordinal::experiments {
namespace {

// The size given by the settings.
BenchmarkSize size_of(const Settings& settings) {
  const Index vocab_size = settings.integer("model.vocab_size");
  return {.name = "config",
          .vocab_size = vocab_size > 0 ? vocab_size : 256,
          .d_model = settings.integer("model.d_model"),
          .heads = settings.integer("model.heads"),
          .layers = settings.integer("model.layers"),
          .seq_len = settings.integer("task.train_length"),
          .batch = settings.integer("train.batch")};
}

using Problems = std::vector<std::string>;

std::vector<BenchmarkSize> chosen_sizes(const Settings& settings, const std::string& key,
                                        Problems& problems) {
  std::vector<BenchmarkSize> chosen;
  for (const std::string& name : settings.list(key)) {
    const auto found = std::ranges::find(benchmark_sizes(), name, &BenchmarkSize::name);
    if (name == "config") {
      chosen.push_back(size_of(settings));
    } else if (found != benchmark_sizes().end()) {
      chosen.push_back(*found);
    } else {
      problems.push_back(fmt::format("{}: got '{}', expected tiny, small, medium, big or config", key, name));
    }
  }
  return chosen;
}

// Model keys on the command line, although the size config was not requested.
void check_config(const Settings& settings, Problems& problems) {
  for (const char* key : {"benchmark.sizes", "benchmark.forward", "benchmark.encodings"}) {
    if (std::ranges::count(settings.list(key), "config") > 0) return;
  }
  for (const char* key : {"model.d_model", "model.heads", "model.layers", "model.vocab_size",
                          "task.train_length", "train.batch"}) {
    if (settings.origin(key) != command_line_origin) continue;
    problems.push_back(fmt::format("{}: only the size config uses it; add --benchmark.sizes=config", key));
  }
}

std::vector<Index> chosen_lengths(const Settings& settings, Problems& problems) {
  std::vector<Index> lengths;
  for (const std::string& item : settings.list("benchmark.lengths")) {
    const auto length = parse_integer(item);
    if (length && *length >= 1 && *length <= 1'000'000) {
      lengths.push_back(*length);
    } else {
      problems.push_back(
          fmt::format("benchmark.lengths: got '{}', expected a length from 1 to 1000000", item));
    }
  }
  return lengths;
}

}  // namespace

BenchmarkRequest benchmark_request(const Settings& settings) {
  Problems problems;
  BenchmarkRequest request{.sizes = chosen_sizes(settings, "benchmark.sizes", problems),
                           .forward = chosen_sizes(settings, "benchmark.forward", problems),
                           .encodings = chosen_sizes(settings, "benchmark.encodings", problems),
                           .lengths = chosen_lengths(settings, problems)};
  check_config(settings, problems);
  if (!problems.empty()) throw ConfigError(joined(problems, "\n"));
  return request;
}

}  // namespace ordinal::experiments

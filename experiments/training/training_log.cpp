#include "experiments/training/training_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numbers>
#include <numeric>
#include <sstream>

#include "experiments/results/files.h"
#include "framework/core/errors.h"
#include "framework/storage/atomic_file.h"
#include "framework/storage/json_depth.h"

namespace ordinal::experiments {
namespace {

// The number under `key` in a line; -1 if there is none.
double number_in(const nlohmann::ordered_json& line, const char* key) {
  return line.is_object() && line.contains(key) && line[key].is_number() ? line[key].get<double>() : -1.0;
}

// Leaves out the time, which differs from run to run, so that equal trainings have equal checkpoints.
void add(Fnv1a64& hash, nlohmann::ordered_json line) {
  line.erase("seconds");
  const std::string text = line.dump();
  hash.update(std::as_bytes(std::span(text)));
}

}  // namespace

void TrainingLog::restore(Index step, const std::string& hash) {
  if (!std::filesystem::exists(path_)) return;
  std::istringstream text(read_file(path_, 4 * largest_document));
  for (std::string line; std::getline(text, line);) {
    const auto entry = nlohmann::ordered_json::parse(is_nested_too_deep(line) ? "" : line, nullptr, false);
    const double number = number_in(entry, "step");
    if (number < 0.0 || number > static_cast<double>(step)) continue;
    const double bits = number_in(entry, "bits_per_token");
    if (bits >= 0.0) {
      curve_.emplace_back(static_cast<Index>(number), bits);
      norms_.push_back(number_in(entry, "gradient_norm"));
    }
    seconds_ = std::max(0.0, number_in(entry, "seconds"));
    restored_ += line + "\n";
    add(hash_, entry);
  }
  if (!hash.empty() && hash != hash_.hex()) {
    throw DataError(
        fmt::format("{}: its lines up to step {} are not those that its training wrote; put the file back, "
                    "or remove it to go on without them",
                    path_.string(), step));
  }
}

void TrainingLog::begin() const { write_text(path_, restored_); }

void TrainingLog::append(Index step, const StepResult& result, double seconds) {
  const double bits = result.loss / std::numbers::ln2;
  nlohmann::ordered_json entry = {{"step", step},
                                  {"bits_per_token", bits},
                                  {"gradient_norm", result.gradient_norm},
                                  {"learning_rate", result.learning_rate},
                                  {"seconds", seconds}};
  if (!result.taken) entry["bits_per_token"] = entry["gradient_norm"] = nullptr;
  append_line(path_, entry.dump());
  add(hash_, entry);
  if (result.taken) {
    curve_.emplace_back(step, bits);
    norms_.push_back(result.gradient_norm);
  }
  seconds_ = seconds;
}

std::vector<std::pair<Index, double>> TrainingLog::curve(Index last) const {
  const auto is_later = [&](const auto& point) { return point.first > last; };
  return {curve_.begin(), std::ranges::find_if(curve_, is_later)};
}

double TrainingLog::gradient_norm(Index last) const {
  const auto count = std::ssize(curve(last));
  return std::accumulate(norms_.begin(), norms_.begin() + count, 0.0) / static_cast<double>(count);
}

}  // namespace ordinal::experiments

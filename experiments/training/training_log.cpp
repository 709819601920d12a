#include "experiments/training/training_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <numbers>
#include <span>
#include <sstream>

#include "experiments/process/hash.h"
#include "framework/core/errors.h"
#include "framework/storage/atomic_file.h"

namespace ordinal::experiments {
namespace {

// Without the time, which stands last and differs from run to run, so that equal trainings have equal checkpoints.
std::string without_time(const std::string& line) { return line.substr(0, line.rfind(",\"seconds\"")) + "}"; }

}  // namespace

void TrainingLog::restore(const LockedPath& from, Index step, const std::string& hash) {
  if (!std::filesystem::exists(from)) return;
  std::istringstream text(read_file(from, 4 * largest_document));
  for (std::string line; std::getline(text, line);) {
    const std::optional<LoggedStep> entry = logged_step(line);
    if (!entry || entry->step > step) continue;
    lines_.push_back({entry->step, entry->bits_per_token, !std::isnan(entry->gradient_norm), line});
    seconds_ = entry->seconds;
  }
  if (hash.empty() || hash == this->hash()) return;
  throw DataError(
      fmt::format("{}: its lines up to step {} are not those that its training wrote; put the file back, "
                  "or remove it to go on without them",
                  from.string(), step));
}

void TrainingLog::forget(Index step) {
  if (!lines_.empty() && lines_.back().step == step) lines_.pop_back();
}

void TrainingLog::begin() const {
  std::string text;
  for (const Line& line : lines_) text += line.text + "\n";
  write_file_atomically(path_, text);
}

void TrainingLog::append(Index step, const StepResult& result, double seconds) {
  LoggedStep entry{.step = step, .learning_rate = result.learning_rate, .seconds = seconds};
  if (result.taken) entry.gradient_norm = result.gradient_norm;
  if (result.taken && result.targets > 0) entry.bits_per_token = result.loss / std::numbers::ln2;
  const std::string text = to_json(entry);
  append_line(path_, text);
  lines_.push_back({step, entry.bits_per_token, result.taken, text});
  seconds_ = seconds;
}

std::string TrainingLog::hash() const {
  Fnv1a64 hash;
  for (const Line& line : lines_) {
    const std::string text = without_time(line.text);
    hash.update(std::as_bytes(std::span(text)));
  }
  return hash.hex();
}

std::vector<std::pair<Index, double>> TrainingLog::curve(Index last) const {
  std::vector<std::pair<Index, double>> curve;
  for (const Line& line : lines_)
    if (!std::isnan(line.bits) && line.step <= last) curve.emplace_back(line.step, line.bits);
  return curve;
}

Index TrainingLog::skipped(Index last) const {
  const auto is_part = [&, step = last](const Line& line) mutable {
    return !line.taken && line.step == step--;
  };
  return std::find_if_not(lines_.rbegin(), lines_.rend(), is_part) - lines_.rbegin();
}

}  // namespace ordinal::experiments

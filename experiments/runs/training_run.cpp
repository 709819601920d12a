#include "experiments/runs/training_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <numbers>

#include "experiments/runs/configure.h"
#include "experiments/runs/difference.h"
#include "framework/core/errors.h"
#include "framework/storage/atomic_file.h"
#include "framework/storage/hash.h"
#include "framework/storage/json_depth.h"
#include "framework/training/checkpoint.h"
#include "models/adoption.h"

namespace ordinal::experiments {
namespace {

double bits(double nats) { return nats / std::numbers::ln2; }

// Fine-tuning draws different examples from the first stage, which may have had the same seed.
constexpr std::uint64_t fine_tuning_stream = hash_name("fine-tuning");

TrainerOptions options_of(const Settings& settings, const Task& task, std::uint64_t seed) {
  TrainerOptions options =
      trainer_options(settings, task.seq_len(settings.integer("task.train_length")), seed);
  options.positions = training_positions(settings, task);
  return options;
}

}  // namespace

TrainingRun::TrainingRun(const Settings& settings, const Task& task, std::uint64_t seed,
                         std::filesystem::path folder, Threads& threads, const std::filesystem::path& initial)
    : settings_(settings),
      task_(task),
      seed_(seed),
      data_seed_(initial.empty() ? seed : seed + fine_tuning_stream),
      folder_(std::move(folder)),
      total_steps_(settings.integer("train.steps")),
      model_(model_config(settings, task)),
      trainer_(model_, options_of(settings, task, seed), threads),
      metadata_(training_metadata(settings, task, seed)) {
  std::error_code unknown;
  if (!initial.empty() && std::filesystem::equivalent(initial, checkpoint_path(), unknown)) {
    throw CheckpointError(
        fmt::format("{}: it cannot be both the start and the output of training; choose another --out",
                    initial.string()));
  }
  if (!initial.empty()) {
    try {
      adoption_ = adopt_parameters(SafetensorsFile(initial), model_, trainer_.values()).describe();
    } catch (const CheckpointError& error) {
      throw CheckpointError(fmt::format("{}: {}", initial.string(), error.what()));
    }
    metadata_["initial_model"] = fnv1a64_hex(std::as_bytes(trainer_.values().flat()));
  }
  std::filesystem::create_directories(folder_);
  if (std::filesystem::exists(checkpoint_path())) resume();
  restore_log();
}

void TrainingRun::resume() {
  const SafetensorsFile file(checkpoint_path());
  const std::string path = checkpoint_path().string();
  if (const auto difference =
          first_difference(file.metadata(), path, metadata_, task_, Binds::training, true)) {
    throw CheckpointError(
        fmt::format("{}: it was trained with {} = {}, this run has {}; choose another --out, or remove it",
                    path, difference->key, difference->there, difference->here));
  }
  load_checkpoint(file, checkpoint_path(), trainer_);
}

// Keeps the logged steps that the checkpoint has seen: a killed run may have logged more than it saved.
void TrainingRun::restore_log() {
  const std::filesystem::path path = folder_ / "metrics.jsonl";
  if (!std::filesystem::exists(path)) return;
  const std::string text = read_file(path);
  std::string kept;
  std::size_t start = 0;
  while (start < text.size()) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    const std::string line = text.substr(start, end - start);
    start = end + 1;
    const auto entry = nlohmann::json::parse(is_nested_too_deep(line) ? "" : line, nullptr, false);
    const auto number = [&](const char* key) {
      return entry.is_object() && entry.contains(key) && entry[key].is_number() ? entry[key].get<double>()
                                                                                : -1.0;
    };
    if (number("step") < 0.0) continue;
    const auto step = static_cast<Index>(number("step"));
    if (step > trainer_.steps()) continue;
    curve_.emplace_back(step, number("bits_per_token"));
    seconds_ = std::max(0.0, number("seconds"));
    kept += line + "\n";
  }
  write_file_atomically(path, kept);
}

StepResult TrainingRun::step() {
  const Index accumulate = settings_.integer("train.accumulate");
  std::vector<Batch> batches;
  for (Index micro = 0; micro < accumulate; ++micro) {
    const auto number = static_cast<std::uint32_t>(trainer_.steps() * accumulate + micro);
    const Index length =
        training_length(task_, parse_part(settings_.text("task.name")).name, settings_.text("task.lengths"),
                        settings_.integer("task.train_length"), data_seed_, number);
    Batch batch =
        make_batch(task_, Split::training, data_seed_, number, settings_.integer("train.batch"), length);
    batches.push_back(with_positions(std::move(batch), task_, trainer_.positions()));
    tokens_ += std::ssize(batches.back().tokens);
  }
  return trainer_.step(batches);
}

bool TrainingRun::train(const std::string& label, Progress& progress, const InterruptGuard& interrupt) {
  const Index log_every = settings_.integer("train.log_every");
  const Index checkpoint_every = settings_.integer("train.checkpoint_every");
  const Index first = trainer_.steps();
  const double seconds_before = seconds_;
  const Pace pace;
  if (first == 0) save();  // fails on an unwritable folder before the work; 0 steps also write a model
  while (!finished()) {
    const StepResult result = step();
    const Index done = trainer_.steps();
    seconds_ = seconds_before + pace.seconds();
    if (!std::isfinite(result.loss)) {
      throw Diverged(fmt::format("{}: the loss became {} at step {}; try a smaller train.learning_rate",
                                 label, result.loss, done));
    }
    if (done % log_every == 0 || done == 1 || finished()) log(result);
    progress.update(fmt::format(
        "{}  step {}/{}  loss {:.3f} bits  {:.0f} tokens/s  {} left", label, done, total_steps_,
        bits(result.loss), static_cast<double>(tokens_) / pace.seconds(),
        pace.time_left(static_cast<double>(done - first), static_cast<double>(total_steps_ - first))));
    const bool stop = interrupt.requested();
    if (stop || finished() || done % checkpoint_every == 0) save();
    if (stop && !finished()) return false;
  }
  return true;
}

void TrainingRun::log(const StepResult& result) {
  const nlohmann::ordered_json entry = {{"step", trainer_.steps()},
                                        {"bits_per_token", bits(result.loss)},
                                        {"gradient_norm", result.gradient_norm},
                                        {"learning_rate", result.learning_rate},
                                        {"seconds", seconds_}};
  append_line(folder_ / "metrics.jsonl", entry.dump());
  curve_.emplace_back(trainer_.steps(), bits(result.loss));
}

void TrainingRun::save() { save_checkpoint(checkpoint_path(), trainer_, metadata_); }

}  // namespace ordinal::experiments

#include "experiments/runs/extrapolation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "experiments/runs/configure.h"
#include "experiments/runs/figures.h"
#include "experiments/runs/machine.h"
#include "experiments/runs/scoring.h"
#include "experiments/runs/training_run.h"
#include "experiments/settings/encoding_choice.h"
#include "framework/core/errors.h"
#include "framework/storage/atomic_file.h"
#include "framework/storage/hash.h"
#include "models/summary.h"

namespace ordinal {
namespace {

std::string weights_hash(const Parameters<float>& values) {
  return fnv1a64_hex(std::as_bytes(values.flat()));
}

// "learned, overflow = clamp": what a legend must say so that a number is not misread.
std::string positional_note(const Settings& settings, const std::string& encoding) {
  const std::string overflow = settings.text("positional.overflow");
  return has_part(encoding_choice(settings, encoding).encoding, "learned") ? "overflow = " + overflow : "";
}

std::string list_text(const std::vector<Index>& values) {
  std::string text;
  for (const Index value : values) text += (text.empty() ? "" : ", ") + std::to_string(value);
  return text;
}

}  // namespace

Extrapolation::Extrapolation(const Settings& settings, std::filesystem::path out, Threads& threads)
    : settings_(settings),
      out_(std::move(out)),
      threads_(threads),
      task_(make_task(task_config(settings))),
      lengths_(evaluation_lengths(settings)) {
  task_->check_length(settings.integer("task.train_length"));
  for (const Index length : lengths_) task_->check_length(length);
  for (const std::string& encoding : settings.list("positional.encodings")) {
    const Transformer<float> model(model_config(settings, *task_, encoding));  // throws if it cannot be
    for (const std::uint64_t seed : seeds(settings)) {
      cells_.push_back({encoding, seed, out_ / "cells" / encoding / fmt::format("seed-{}", seed)});
    }
  }
}

std::string Extrapolation::plan() const {
  const Index length = task_->seq_len(settings_.integer("task.train_length"));
  const Index batch = settings_.integer("train.batch");
  const double tokens = static_cast<double>(settings_.integer("train.steps")) *
                        static_cast<double>(batch * length) *
                        static_cast<double>(settings_.integer("train.accumulate"));
  std::string text = fmt::format("{}: {} cells = {} encodings × {} seeds, {} steps of {} × {} tokens\n",
                                 settings_.text("experiment.name"), cells_.size(),
                                 settings_.list("positional.encodings").size(), seeds(settings_).size(),
                                 settings_.integer("train.steps"), batch, length);
  text += fmt::format("task {}\n", task_->describe());
  text += fmt::format("{:<28} {:>12} {:>16} {:>12}\n", "encoding", "parameters", "FLOPs a cell", "memory");
  double total = 0.0;
  for (const std::string& encoding : settings_.list("positional.encodings")) {
    const ModelConfig config = model_config(settings_, *task_, encoding);
    const Transformer<float> model(config);
    const double flops = tokens * training_flops_per_token(config, length);
    const Index shards = trainer_options(settings_, length, 1).shards;
    total += flops * static_cast<double>(seeds(settings_).size());
    text += fmt::format(
        "{:<28} {:>12} {:>14.2f} T {:>9.1f} MB\n", encoding, model.layout().count(), flops / 1e12,
        training_memory_bytes(config, model.layout(), batch, length, shards, sizeof(float)) / 1e6);
    const std::string constants = model.encoding().constants();
    if (!constants.empty()) text += fmt::format("  {}\n", constants);
  }
  return text + fmt::format("all cells: {:.2f} TFLOPs of training; scored at lengths {}\n", total / 1e12,
                            list_text(lengths_));
}

// What a cell's result depends on: the settings behind its weights and those behind its scores.
std::string Extrapolation::cell_settings(const Cell& cell) const {
  const ModelConfig config = model_config(settings_, *task_, cell.encoding);
  nlohmann::ordered_json training;
  nlohmann::ordered_json evaluation;
  const Metadata metadata = training_metadata(settings_, *task_, config, cell.encoding, cell.seed);
  for (const auto& [key, value] : metadata) {
    (is_test_only(key, metadata) ? evaluation : training)[key] = value;
  }
  evaluation.update(nlohmann::ordered_json{{"lengths", list_text(lengths_)},
                                           {"batches", settings_.integer("evaluate.batches")},
                                           {"batch", settings_.integer("evaluate.batch")}});
  return nlohmann::ordered_json{{"training", training}, {"evaluation", evaluation}}.dump(2) + "\n";
}

std::optional<CellResult> Extrapolation::finished_result(const Cell& cell) const {
  const auto settings_path = cell.folder / "settings.json";
  const auto result_path = cell.folder / "result.json";
  if (!std::filesystem::exists(result_path) || !std::filesystem::exists(settings_path)) return std::nullopt;
  if (read_file(settings_path) != cell_settings(cell)) return std::nullopt;
  try {
    return cell_from_json(read_file(result_path));
  } catch (const DataError& error) {
    throw DataError(fmt::format("{}: {}", cell.folder.string(), error.what()));
  }
}

// Refuses to mix results: the folder may hold a cell that was trained with other settings.
void Extrapolation::check_folder(const Cell& cell) const {
  const auto path = cell.folder / "settings.json";
  if (!std::filesystem::exists(path)) return;
  const auto there = nlohmann::json::parse(read_file(path), nullptr, false);
  const auto here = nlohmann::json::parse(cell_settings(cell));
  if (!there.is_object() || !there.contains("training") || !there["training"].is_object()) return;
  for (const auto& [key, value] : here.at("training").items()) {
    const auto found = there["training"].find(key);
    const bool known = found != there["training"].end();
    const std::string old = !known               ? "nothing"
                            : found->is_string() ? found->get<std::string>()
                                                 : found->dump();
    if (old == value.get<std::string>() || key == "task.file") continue;  // a file may move; its hash counts
    throw ConfigError(
        fmt::format("{}: it holds results with {} = {}, this run has {}; choose another --out or "
                    "experiment.name, or remove it",
                    cell.folder.string(), key, old, value.get<std::string>()));
  }
}

CellResult Extrapolation::describe(const Cell& cell, TrainingRun& run) const {
  CellResult result;
  result.encoding = cell.encoding;
  result.seed = cell.seed;
  result.parameters = run.model().layout().count();
  result.positional_note = positional_note(settings_, cell.encoding);
  result.training_curve = run.curve();
  if (!run.curve().empty()) result.final_train_loss = run.curve().back().second;
  result.seconds = run.seconds();
  result.weights_hash = weights_hash(run.trainer().values());
  return result;
}

// An encoding that cannot hold the positions of training fails at every length; the others go on.
CellResult Extrapolation::refused(const Cell& cell, TrainingRun& run, const std::string& why) const {
  CellResult result = describe(cell, run);
  for (const Index length : lengths_) {
    LengthScore failed;
    failed.length = length;
    failed.failed = true;
    failed.why = "in training: " + why;
    result.scores.push_back(failed);
  }
  return result;
}

CellResult Extrapolation::score(const Cell& cell, TrainingRun& run, Progress& progress,
                                const InterruptGuard& interrupt) {
  CellResult result = describe(cell, run);
  for (const Index length : lengths_) {
    if (interrupt.requested()) break;
    progress.update(fmt::format("{} seed {}  scoring length {}", cell.encoding, cell.seed, length));
    result.scores.push_back(score_length(run.model(), run.trainer().values(), *task_, settings_,
                                         test_positions(settings_, *task_, cell.encoding), length, threads_));
  }
  return result;
}

std::optional<CellResult> Extrapolation::run_cell(const Cell& cell, const std::string& label,
                                                  Progress& progress, const InterruptGuard& interrupt) {
  if (auto done = finished_result(cell)) {
    progress.say(fmt::format("{}  done before, skipped", label));
    return done;
  }
  TrainingRun run(settings_, *task_, cell.encoding, cell.seed, cell.folder, threads_);
  if (run.trainer().steps() > 0)
    progress.say(fmt::format("{}  continues at step {}", label, run.trainer().steps()));
  write_file_atomically(cell.folder / "settings.json", cell_settings(cell));
  std::filesystem::remove(cell.folder / "result.json");
  CellResult result;
  try {
    if (!run.train(label, progress, interrupt)) return std::nullopt;
    result = score(cell, run, progress, interrupt);
  } catch (const std::out_of_range& error) {
    result = refused(cell, run, error.what());
    progress.say(fmt::format("{}  fails {}", label, result.scores.front().why));
  }
  if (result.scores.size() < lengths_.size()) return std::nullopt;
  write_file_atomically(cell.folder / "result.json", to_json(result));
  return result;
}

std::optional<ExperimentResult> Extrapolation::run(Progress& progress, const InterruptGuard& interrupt) {
  for (const Cell& cell : cells_) check_folder(cell);
  std::filesystem::create_directories(out_);
  write_file_atomically(out_ / "resolved.cfg", settings_.resolved_config());
  std::vector<CellResult> results;
  const Pace pace;
  std::size_t trained = 0;
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    const Cell& cell = cells_[i];
    const std::string label =
        fmt::format("[{}/{}] {} seed {}", i + 1, cells_.size(), cell.encoding, cell.seed);
    const bool skipped = finished_result(cell).has_value();
    const std::optional<CellResult> result = run_cell(cell, label, progress, interrupt);
    if (!result) return std::nullopt;
    results.push_back(*result);
    if (skipped) continue;
    ++trained;
    if (std::isnan(result->final_train_loss)) continue;  // it never took a step
    progress.say(fmt::format(
        "{}  {:.3f} bits in training, {}; all cells in about {}", label, result->final_train_loss,
        duration_text(result->seconds),
        pace.time_left(static_cast<double>(trained), static_cast<double>(trained + cells_.size() - i - 1))));
  }
  ExperimentResult experiment_result = experiment(std::move(results));
  write_manifest(experiment_result);
  return experiment_result;
}

ExperimentResult Extrapolation::experiment(std::vector<CellResult> results) const {
  ExperimentResult result;
  result.name = settings_.text("experiment.name");
  result.train_length = settings_.integer("task.train_length");
  result.question =
      fmt::format("Trained on sequences of {}{}, how does each positional encoding do on longer ones?",
                  task_->metric() == Metric::accuracy ? "up to length " : "length ", result.train_length);
  if (task_->metric() == Metric::accuracy) result.metric = {"accuracy", "", false};
  result.task = task_->describe();
  result.lengths = lengths_;
  result.cells = std::move(results);
  result.settings = settings_.resolved_config();
  result.command = fmt::format("./experiments/run {}", (out_ / "resolved.cfg").string());
  result.manifest = machine_facts(threads_.count());
  result.manifest.emplace_back("seeds", settings_.text("experiment.seeds"));
  result.manifest.emplace_back("data_hash", task_->data_hash());
  return result;
}

void Extrapolation::write_manifest(const ExperimentResult& result) const {
  nlohmann::ordered_json manifest;
  for (const auto& [key, value] : result.manifest) manifest[key] = value;
  for (const CellResult& cell : result.cells) {
    manifest["weights_hash"][cell.encoding][std::to_string(cell.seed)] = cell.weights_hash;
  }
  write_file_atomically(out_ / "manifest.json", manifest.dump(2) + "\n");
}

std::vector<ExtraFigure> Extrapolation::figures() const {
  std::vector<ExtraFigure> figures;
  for (const Cell& cell : cells_) {
    if (cell.seed != cells_.front().seed) continue;
    TrainingRun run(settings_, *task_, cell.encoding, cell.seed, cell.folder, threads_);
    try {
      const auto drawn = draw_model_figures(
          run.model(), run.trainer().values(), *task_, settings_.integer("task.train_length"), cell.encoding,
          test_positions(settings_, *task_, cell.encoding), out_ / "figures");
      figures.insert(figures.end(), drawn.begin(), drawn.end());
    } catch (const std::out_of_range&) {
      continue;  // the encoding does not hold these positions: its scores say so
    }
  }
  return figures;
}

}  // namespace ordinal

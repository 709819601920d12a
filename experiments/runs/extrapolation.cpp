#include "experiments/runs/extrapolation.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "experiments/claims/claim_checks.h"
#include "experiments/claims/published_tables.h"
#include "experiments/runs/configure.h"
#include "experiments/runs/figures.h"
#include "experiments/runs/forecast.h"
#include "experiments/runs/machine.h"
#include "experiments/runs/plan.h"
#include "experiments/runs/references.h"
#include "experiments/runs/tuning.h"
#include "framework/core/errors.h"
#include "framework/storage/atomic_file.h"
#include "framework/storage/hash.h"

namespace ordinal::experiments {
namespace {

void check_metrics(const std::vector<Entrant>& entrants) {
  for (const Entrant& entrant : entrants) {
    const auto ids = [](const Entrant& one) {
      std::vector<std::string> ids;
      for (const MetricSpec& metric : one.task().metrics()) ids.push_back(metric.id);
      return joined(ids);
    };
    if (ids(entrant) == ids(entrants.front())) continue;
    throw ConfigError(fmt::format("{} and {} cannot be compared: their tasks are scored by {} and by {}",
                                  entrants.front().row.label, entrant.row.label, ids(entrants.front()),
                                  ids(entrant)));
  }
}

// The rows and all lengths, and the training length if the rows have the same.
void add_rows(const std::vector<Entrant>& entrants, ExperimentResult& result) {
  const auto train_length = [](const Entrant& entrant) {
    return entrant.row.settings.integer("task.train_length");
  };
  result.train_length = train_length(entrants.front());
  for (const Entrant& entrant : entrants) {
    if (train_length(entrant) != result.train_length) result.train_length = 0;
    result.rows.push_back({entrant.row.label, entrant.row.factors, entrant.tuned});
    const auto lengths = evaluation_lengths(entrant.row.settings);
    result.lengths.insert(result.lengths.end(), lengths.begin(), lengths.end());
  }
  std::ranges::sort(result.lengths);
  result.lengths.erase(std::unique(result.lengths.begin(), result.lengths.end()), result.lengths.end());
}

std::string question_of(const std::vector<Entrant>& entrants, const ExperimentResult& result) {
  const Entrant& first = entrants.front();
  const bool up_to = draws_lengths(first.task(), first.row.settings.text("task.lengths"));
  const bool of_encodings = std::ranges::all_of(entrants, [](const Entrant& entrant) {
    return entrant.row.factors.size() == 1 && entrant.row.factors.front().first == "positional.encoding";
  });
  const std::string trained = result.train_length == 0
                                  ? "Trained on short sequences"
                                  : fmt::format("Trained on sequences of {} {}",
                                                up_to ? "up to length" : "length", result.train_length);
  return fmt::format("{}, how does each {} do on longer ones?", trained,
                     of_encodings ? "positional encoding" : "row");
}

void write_manifest(const ExperimentResult& result, const std::filesystem::path& path) {
  nlohmann::ordered_json manifest;
  for (const auto& [key, value] : result.manifest) manifest[key] = value;
  for (const CellResult& cell : result.cells) {
    manifest["weights_hash"][cell.row][std::to_string(cell.seed)] = cell.weights_hash;
  }
  write_file_atomically(path, manifest.dump(2) + "\n");
}

struct TrainedModel {
  std::unique_ptr<Transformer<float>> model;
  std::unique_ptr<Parameters<float>> values;
  std::uint64_t seed = 0;
};

// The weights that were scored, of one row. `missing` gets a line for each seed whose checkpoint does not hold them.
std::vector<TrainedModel> trained_models(const Entrant& entrant, const std::vector<Cell>& cells,
                                         const Trainings& trainings, const ExperimentResult& result,
                                         std::vector<std::string>& missing) {
  const Stage& stage = entrant.last();
  std::vector<TrainedModel> models;
  for (const Cell& cell : cells) {
    if (&cell.entrant != &entrant) continue;
    const auto scored = std::ranges::find_if(result.cells, [&](const CellResult& one) {
      return one.row == entrant.row.label && one.seed == cell.seed;
    });
    if (scored == result.cells.end() || scored->weights_hash.empty()) continue;  // it was not trained
    const auto checkpoint = trainings.folder(cell) / "checkpoint.safetensors";
    auto model = std::make_unique<Transformer<float>>(model_config(stage.settings, *stage.task));
    auto values = std::make_unique<Parameters<float>>(model->layout());
    try {
      load_parameters(SafetensorsFile(checkpoint), *values);
    } catch (const CheckpointError& error) {
      missing.push_back(fmt::format("Seed {}: {}", cell.seed, error.what()));
      continue;
    }
    if (fnv1a64_hex(std::as_bytes(values->flat())) != scored->weights_hash) {
      missing.push_back(fmt::format(
          "Seed {}: {}: it does not hold the weights that were scored (delete result.json beside it "
          "to train and score again)",
          cell.seed, checkpoint.string()));
      continue;
    }
    models.push_back({std::move(model), std::move(values), cell.seed});
  }
  return models;
}

}  // namespace

Extrapolation::Extrapolation(const Settings& settings, std::filesystem::path out, const CellWorkers& workers)
    : settings_(settings), out_(std::move(out)), workers_(workers) {
  check_tuning(settings);
  for (const Row& row : rows_of(settings)) entrants_.push_back(makers_.make(row));
  check_metrics(entrants_);
  read_claims();
  trainings_.plan(cells());
}

// Rows, lengths, metrics and conditions that claims and published tables name must be there.
void Extrapolation::read_claims() {
  claims_ = claims_of(settings_);
  const ExperimentResult here = outline();
  std::vector<std::string> problems = claim_problems(claims_, here);
  published_ = published_tables(settings_, here, problems);
  if (!problems.empty()) throw ConfigError(joined(problems, "\n"));
}

// Tuning changes rows, so their folders can be checked only after it.
void Extrapolation::check_folders() const {
  if (settings_.tuned().empty()) std::ranges::for_each(cells(), check_folder);
}

std::vector<ClaimResult> Extrapolation::decide_claims(const ExperimentResult& result) const {
  return decide(claims_, result);
}

std::vector<Cell> Extrapolation::cells() const {
  std::vector<Cell> cells;
  for (const Entrant& entrant : entrants_) {
    for (const std::uint64_t seed : seeds(settings_)) {
      cells.push_back({entrant, seed, out_ / "cells" / entrant.row.folder / fmt::format("seed-{}", seed)});
    }
  }
  return cells;
}

std::string Extrapolation::plan() const {
  return plan_text(settings_, entrants_, tuning_candidates(entrants_, settings_), trainings_.count(),
                   workers_.threads.count());
}

std::string Extrapolation::forecast(int ranks, Progress& progress) const {
  return forecast_text(cells(), trainings_, settings_, {workers_.threads.count(), workers_.jobs, ranks},
                       progress);
}

// Returns false if it was interrupted.
bool Extrapolation::tune(Progress& progress, const InterruptGuard& interrupt) {
  Trainings trainings;
  for (Entrant& entrant : entrants_) {
    auto chosen = tuned(entrant, settings_, out_, makers_, trainings, workers_, progress, interrupt);
    if (!chosen) return false;
    entrant = std::move(*chosen);
  }
  trainings_.plan(cells());
  return true;
}

std::optional<std::vector<CellResult>> Extrapolation::results(Progress& progress) {
  const InterruptGuard interrupt;
  if (!settings_.tuned().empty() && !tune(progress, interrupt)) return std::nullopt;
  Ranks& ranks = workers_.world.ranks();
  on_first(ranks, [&] {
    std::ranges::for_each(cells(), check_folder);
    std::filesystem::create_directories(out_);
    write_file_atomically(out_ / "resolved.cfg", settings_.resolved_config());
  });
  ResultsSoFar finished;
  if (ranks.rank() == 0) {
    finished = [&](std::vector<CellResult> so_far) { write_page_so_far(std::move(so_far), progress); };
  }
  auto results = run_cells(cells(), trainings_, settings_, workers_, progress, interrupt, finished);
  return ranks.any(interrupt.requested()) ? std::nullopt : results;
}

std::optional<ExperimentResult> Extrapolation::run(Progress& progress) {
  auto results = this->results(progress);
  progress.finish_line();
  if (!results) return std::nullopt;
  if (workers_.world.ranks().rank() > 0) return ExperimentResult();
  ExperimentResult result = experiment(std::move(*results));
  write_manifest(result, out_ / "manifest.json");
  return result;
}

ExperimentResult Extrapolation::outline() const {
  ExperimentResult result;
  result.name = settings_.text("experiment.name");
  result.published = published_;
  add_rows(entrants_, result);
  result.conditions = settings_.list("evaluate.conditions");
  for (const MetricSpec& metric : entrants_.front().task().metrics()) {
    result.metrics.push_back(
        {metric.id, metric.name, metric.measure == Measure::bits ? "bits" : "", metric.lower_is_better()});
  }
  add_perplexity(result);
  return result;
}

// A page that cannot be written does not end the trainings; the report at the end says so, too.
void Extrapolation::write_page_so_far(std::vector<CellResult> results, Progress& progress) {
  const Index all = std::ssize(cells());
  try {
    ExperimentResult result = experiment(std::move(results));
    result.missing = all - std::ssize(result.cells);
    write_page(result, out_);
  } catch (const std::exception& error) {
    progress.say(fmt::format("report.html was not written: {}", error.what()));
  }
}

ExperimentResult Extrapolation::frame() const {
  ExperimentResult result = outline();
  add_references(result);
  result.question = question_of(entrants_, result);
  std::vector<std::string> tasks;
  std::vector<std::string> hashes;
  for (const auto& [name, task] : makers_.tasks()) {
    tasks.push_back(task->describe());
    hashes.push_back(task->data_hash());
  }
  result.task = joined(tasks, "; ");
  result.settings = settings_.resolved_config();
  result.command = fmt::format("./experiments/run {}", (out_ / "resolved.cfg").string());
  result.manifest = {{"seeds", settings_.text("experiment.seeds")}, {"data_hash", joined(hashes)}};
  return result;
}

ExperimentResult Extrapolation::experiment(std::vector<CellResult> results) {
  if (!frame_) frame_ = frame();
  ExperimentResult result = *frame_;
  result.cells = std::move(results);
  std::vector<std::string> machines;
  for (const CellResult& cell : result.cells) machines.push_back(cell.machines);
  const auto facts = all_facts(machines);
  result.manifest.insert(result.manifest.begin(), facts.begin(), facts.end());
  add_perplexity(result);
  return result;
}

// Lines to compare the models with, of the first row's task if all rows are tested on it.
void Extrapolation::add_references(ExperimentResult& result) const {
  if (makers_.tasks().size() != 1) {
    std::vector<const Task*> tasks;
    for (const auto& [name, task] : makers_.tasks()) tasks.push_back(task.get());
    result.gate = common_gate(tasks);
    return;
  }
  const Entrant& first = entrants_.front();
  const std::uint64_t seed = seeds(settings_).front();
  const Settings& settings = first.row.settings;
  result.references = reference_scores(first.task(), settings, result.lengths, seed);
  result.classes = class_shares(first.task(), settings, result.lengths, seed);
  result.gate = learning_gate(first.task(), settings.integer("task.train_length"), result.references);
}

std::vector<ExtraFigure> Extrapolation::draw_figures(const ExperimentResult& result,
                                                     const std::filesystem::path& folder) const {
  std::vector<ExtraFigure> figures;
  const std::vector<Cell> all = cells();
  for (const Entrant& entrant : entrants_) {
    const Stage& stage = entrant.last();
    std::vector<std::string> missing;
    const std::vector<TrainedModel> models = trained_models(entrant, all, trainings_, result, missing);
    if (!missing.empty()) {
      figures.push_back({.title = entrant.row.label + ": models that are missing",
                         .caption = "These seeds are in the tables, but not in the pictures.",
                         .text = joined(missing, "\n"),
                         .tags = {{"row", entrant.row.label}}});
    }
    std::vector<Subject> subjects;
    for (const TrainedModel& one : models) {
      subjects.push_back({*one.model, *one.values, *stage.task, stage.settings, settings_, one.seed});
    }
    if (subjects.empty()) continue;
    const auto drawn = draw_model_figures(subjects, entrant.row.label, folder, entrant.row.folder);
    figures.insert(figures.end(), drawn.begin(), drawn.end());
  }
  return figures;
}

}  // namespace ordinal::experiments

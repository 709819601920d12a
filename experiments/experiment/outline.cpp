#include "experiments/experiment/outline.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "experiments/process/machine.h"
#include "experiments/report/comparison.h"
#include "experiments/scoring/references.h"
#include "framework/core/errors.h"
#include "framework/storage/atomic_file.h"

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
    for (const Stage& stage : entrant.stages) {
      result.longest_trained =
          std::max(result.longest_trained, stage.plan.settings.integer("task.train_length"));
    }
    result.rows.push_back({entrant.row.label, entrant.row.factors, entrant.notes()});
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
                                                up_to ? "up to length" : "length", trained_lengths(result));
  const std::string rows = entrants.size() == 1
                               ? first.row.label
                               : fmt::format("each {}", of_encodings ? "positional encoding" : "row");
  return fmt::format("{}, how does {} do on longer ones?", trained, rows);
}

// Lines to compare the models with, of the first row's task if all rows are tested on it.
void add_references(ExperimentResult& result, const Entrant& first, const Entrants& makers,
                    std::uint64_t seed) {
  if (makers.tasks().size() != 1) {
    std::vector<const Task*> tasks;
    for (const auto& [name, task] : makers.tasks()) tasks.push_back(task.get());
    result.gate = common_gate(tasks, first.row.settings.real("evaluate.gate"));
    return;
  }
  const Settings& settings = first.row.settings;
  result.references = reference_scores(first.task(), settings, result.lengths, seed);
  result.classes = class_shares(first.task(), settings, result.lengths, seed);
  result.gate = learning_gate(first.task(), settings.integer("task.train_length"), result.references,
                              settings.real("evaluate.gate"));
}

}  // namespace

ExperimentResult outline_of(const std::vector<Entrant>& entrants) {
  check_metrics(entrants);
  ExperimentResult result;
  add_rows(entrants, result);
  result.conditions = entrants.front().row.settings.list("evaluate.conditions");
  for (const MetricSpec& metric : entrants.front().task().metrics()) {
    result.metrics.push_back(
        {metric.id, metric.name, metric.measure == Measure::bits ? "bits" : "", metric.lower_is_better()});
  }
  add_perplexity(result);
  return result;
}

void add_tasks(ExperimentResult& result, const std::vector<Entrant>& entrants, const Entrants& makers,
               std::uint64_t seed) {
  add_references(result, entrants.front(), makers, seed);
  result.question = question_of(entrants, result);
  std::vector<std::string> tasks;
  std::vector<std::string> hashes;
  for (const auto& [name, task] : makers.tasks()) {
    tasks.push_back(task->describe());
    hashes.push_back(task->data_hash());
  }
  result.task = joined(tasks, "; ");
  result.manifest.emplace_back("data_hash", joined(hashes));
}

void add_cells(ExperimentResult& result, std::vector<CellResult> cells) {
  result.cells = std::move(cells);
  std::vector<std::string> machines;
  for (const CellResult& cell : result.cells) machines.push_back(cell.machines);
  const auto facts = all_facts(machines);
  result.manifest.insert(result.manifest.begin(), facts.begin(), facts.end());
  add_perplexity(result);
}

void write_manifest(const ExperimentResult& result, const LockedPath& out) {
  nlohmann::ordered_json manifest;
  for (const auto& [key, value] : result.manifest) manifest[key] = value;
  for (const CellResult& cell : result.cells) {
    manifest["weights_hash"][cell.row][std::to_string(cell.seed)] = cell.weights_hash;
  }
  manifest["metrics"] = nlohmann::ordered_json::array();
  for (const MetricInfo& metric : result.metrics) {
    manifest["metrics"].push_back({{"id", metric.id},
                                   {"name", metric.name},
                                   {"unit", metric.unit},
                                   {"lower_is_better", metric.lower_is_better}});
  }
  manifest["gate"] = nullptr;
  if (result.gate) {
    manifest["gate"] = {
        {"metric", result.gate->metric}, {"threshold", result.gate->threshold}, {"text", result.gate->text}};
  }
  write_file_atomically(out / "manifest.json", manifest.dump(2) + "\n");
}

}  // namespace ordinal::experiments

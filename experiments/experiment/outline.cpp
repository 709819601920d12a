#include "experiments/experiment/outline.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "experiments/experiment/figures.h"
#include "experiments/process/machine.h"
#include "experiments/report/comparison.h"
#include "experiments/scoring/references.h"
#include "framework/core/errors.h"
#include "framework/storage/atomic_file.h"

namespace ordinal::experiments {
namespace {

std::string metric_ids(const Entrant& entrant) {
  std::vector<std::string> ids;
  for (const MetricSpec& metric : entrant.task().metrics()) ids.push_back(metric.id);
  return joined(ids);
}

void check_metrics(const std::vector<Entrant>& entrants) {
  const Entrant& first = entrants.front();
  for (const Entrant& entrant : entrants) {
    if (metric_ids(entrant) == metric_ids(first)) continue;
    throw ConfigError(fmt::format("{} and {} cannot be compared: their tasks are scored by {} and by {}",
                                  first.row.label, entrant.row.label, metric_ids(first),
                                  metric_ids(entrant)));
  }
}

LengthScheme lengths_of(const Stage& stage) { return training_lengths(stage.plan.settings); }

// The length mixture of the first stages if all rows have the same; else the longest length of any row.
std::string mixture_of(const std::vector<Entrant>& entrants) {
  std::set<std::string> all;
  Index longest = 0;
  for (const Entrant& entrant : entrants) {
    const LengthScheme lengths = lengths_of(entrant.first());
    all.insert(lengths.mixture());
    if (lengths.has_long_batches()) longest = std::max(longest, lengths.longest());
  }
  if (all.size() == 1) return *all.begin();
  return longest == 0 ? "" : fmt::format("and {} in some batches", longest);
}

// The rows, all lengths and, if all rows share one, the training length.
void add_rows(const std::vector<Entrant>& entrants, ExperimentResult& result) {
  std::set<Index> lengths;
  result.train_length = entrants.front().row.settings.integer("task.train_length");
  for (const Entrant& entrant : entrants) {
    if (entrant.row.settings.integer("task.train_length") != result.train_length) result.train_length = 0;
    for (const Stage& stage : entrant.stages) {
      if (&stage == &entrant.first()) continue;
      result.longest_trained = std::max(result.longest_trained, lengths_of(stage).longest());
    }
    result.rows.push_back({entrant.row.label, entrant.row.factors, entrant.notes()});
    for (const Index length : evaluation_lengths(entrant.row.settings)) lengths.insert(length);
  }
  result.mixture = mixture_of(entrants);
  result.lengths.assign(lengths.begin(), lengths.end());
}

std::string question_of(const std::vector<Entrant>& entrants, const ExperimentResult& result) {
  const Entrant& first = entrants.front();
  const bool up_to = std::ranges::any_of(entrants, [](const Entrant& entrant) {
    return lengths_of(entrant.first()).has_short_batches(entrant.task());
  });
  const bool of_encodings = std::ranges::all_of(entrants, [](const Entrant& entrant) {
    return entrant.row.factors.size() == 1 && entrant.row.factors.front().first == "model.encoding";
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

void write_manifest(const ExperimentResult& result, const LockedPath& out) {
  nlohmann::ordered_json manifest;
  for (const auto& [key, value] : result.manifest) manifest[key] = value;
  for (const CellResult& cell : result.cells) {
    manifest["weights_hash"][cell.row][std::to_string(cell.seed)] = cell.weights_hash;
  }
  manifest["metrics"] = nlohmann::ordered_json::array();
  for (const MetricSpec& metric : result.metrics) {
    manifest["metrics"].push_back({{"id", metric.id},
                                   {"name", metric.title()},
                                   {"unit", metric.measure == Measure::bits ? "bits" : ""},
                                   {"lower_is_better", metric.lower_is_better()}});
  }
  manifest["gate"] = nullptr;
  if (result.gate) {
    manifest["gate"] = {
        {"metric", result.gate->metric}, {"threshold", result.gate->threshold}, {"text", result.gate->text}};
  }
  write_file_atomically(out / "manifest.json", manifest.dump(2) + "\n");
}

}  // namespace

ExperimentResult outline_of(const std::vector<Entrant>& entrants) {
  check_metrics(entrants);
  ExperimentResult result;
  add_rows(entrants, result);
  result.conditions = entrants.front().row.settings.list("evaluate.conditions");
  result.metrics = entrants.front().task().metrics();
  std::ranges::stable_partition(result.metrics, &MetricSpec::headline);
  return result;
}

void add_references(ExperimentResult& result, const Entrant& first, const Entrants& makers,
                    std::uint64_t seed) {
  const Settings& settings = first.row.settings;
  const double threshold = settings.real("evaluate.gate");
  if (makers.tasks().size() == 1) {
    result.references = reference_scores(first.task(), settings, result.lengths, seed);
    result.gate =
        learning_gate(first.task(), settings.integer("task.train_length"), result.references, threshold);
    return;
  }
  std::vector<const Task*> tasks;
  for (const auto& [name, task] : makers.tasks()) tasks.push_back(task.get());
  result.gate = common_gate(tasks, threshold);
}

void add_tasks(ExperimentResult& result, const std::vector<Entrant>& entrants, const Entrants& makers) {
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
  std::set<std::string> builds;
  for (const CellResult& cell : result.cells) builds.insert(cell.builds);
  const auto facts = machine_facts();
  result.manifest.insert(result.manifest.begin(), facts.begin(), facts.end());
  result.manifest.emplace_back("trained_by", fmt::format("{}", fmt::join(builds, "; ")));
}

std::filesystem::path write_experiment(const ExperimentResult& result, std::span<const Cell> cells,
                                       const LockedPath& out) {
  write_manifest(result, out);
  std::vector<Figure> figures;
  while (!cells.empty()) {
    const auto is_other = [&](const Cell& cell) { return &cell.entrant != &cells.front().entrant; };
    const auto end = std::ranges::find_if(cells, is_other) - cells.begin();
    const auto drawn = row_figures(cells.first(static_cast<std::size_t>(end)), result);
    figures.insert(figures.end(), drawn.begin(), drawn.end());
    cells = cells.subspan(static_cast<std::size_t>(end));
  }
  return write_report(result, out, figures);
}

}  // namespace ordinal::experiments

#include "experiments/experiment/tuning.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>

#include "experiments/scoring/references.h"
#include "framework/core/errors.h"

namespace ordinal::experiments {
namespace {

// "learning_rate = 0.003".
std::string text_of(const Combination& values) {
  std::vector<std::string> texts;
  for (const auto& [key, value] : values)
    texts.push_back(fmt::format("{} = {}", name_in_section(key), value));
  return joined(texts);
}

Row with_values(Row row, const Combination& values) {
  for (const auto& [key, value] : values) row.settings.set(key, value, "tuned");
  return row;
}

// The first stage of the row with these values, scored at its training length.
Entrant candidate_of(const Row& row, const Combination& values, Entrants& entrants) {
  Row candidate = with_values(row, values);
  candidate.label = fmt::format("{}, {}", row.label, text_of(values));
  candidate.factors = values;
  candidate.settings.set("finetune.steps", "0", "tuned");
  Entrant entrant = entrants.make(candidate);
  entrant.row.settings.set("evaluate.lengths", "1x", "tuned");
  entrant.row.settings.set("evaluate.conditions", trained_condition, "tuned");
  return entrant;
}

// Of all targets, in the measure that the task is about; without such a metric, the one that tells whether the task is learned.
MetricSpec tuned_metric(const Task& task) {
  const std::vector<MetricSpec> metrics = task.metrics();
  const auto whole = std::ranges::find_if(metrics, [&](const MetricSpec& metric) {
    return metric.measure == task.measure() && metric.counts_all();
  });
  return whole == metrics.end() ? deciding_metric(task) : *whole;
}

// The combination with the best score among the cells of a row, by its index; none if no training has a finite one.
std::optional<std::size_t> best_of(const std::vector<Cell>& cells, const std::vector<CellResult>& results,
                                   std::size_t first, std::size_t count) {
  std::optional<std::size_t> best;
  double best_value = not_a_number;
  for (std::size_t i = first; i < first + count; ++i) {
    const MetricSpec metric = tuned_metric(cells[i].entrant.task());
    const Score* score = score_at(results[i].scores, metric.id, results[i].train_length);
    if (score == nullptr || !std::isfinite(score->value)) continue;
    if (best && metric.reached(best_value, score->value)) continue;
    best = i;
    best_value = score->value;
  }
  return best;
}

}  // namespace

void check_tuning(const Settings& settings) {
  for (const Factor& factor : settings.tuned()) {
    const bool in_first_stage = !factor.key.starts_with("finetune.");
    if (in_first_stage && !settings.rows_set(factor.key)) continue;
    throw ConfigError(fmt::format("{}: compare.tune.{}: {}", factor.origin, factor.key,
                                  in_first_stage
                                      ? "rows differ in it, so it cannot be chosen for them"
                                      : "values are chosen by the end of the first stage, expected another "
                                        "key of task, model or train"));
  }
  const auto scored = seeds(settings);
  const auto seed = static_cast<std::uint64_t>(settings->experiment.tune_seed);
  if (settings.tuned().empty() || std::ranges::find(scored, seed) == scored.end()) return;
  throw ConfigError(fmt::format(
      "experiment.tune_seed = {} is one of experiment.seeds = {}, expected a seed that is not scored", seed,
      settings->experiment.seeds));
}

std::vector<Entrant> tuning_candidates(const std::vector<Entrant>& rows, const Settings& settings,
                                       Entrants& entrants) {
  std::vector<Entrant> candidates;
  if (settings.tuned().empty()) return candidates;
  for (const Entrant& row : rows) {
    for (const Combination& values : combinations(settings.tuned()))
      candidates.push_back(candidate_of(row.row, values, entrants));
  }
  return candidates;
}

std::vector<Cell> tuning_cells(const std::vector<Entrant>& candidates, const Settings& settings,
                               const LockedPath& out) {
  const auto seed = static_cast<std::uint64_t>(settings->experiment.tune_seed);
  std::vector<Cell> cells;
  for (const Entrant& candidate : candidates) {
    const std::string values = folder_of(text_of(candidate.row.factors));
    cells.push_back({candidate, settings, seed, out / "tuning" / candidate.row.folder / values});
  }
  place_trainings(cells, out);
  return cells;
}

bool tune(std::vector<Entrant>& rows, const std::vector<Cell>& cells, Entrants& entrants,
          const CellWorkers& workers, Progress& progress, const InterruptGuard& interrupt) {
  const auto results = run_cells(cells, workers, progress, interrupt);
  if (!results) return false;
  const std::size_t each = cells.size() / rows.size();
  for (std::size_t r = 0; r < rows.size(); ++r) {
    std::vector<std::string> texts;
    for (std::size_t i = r * each; i < (r + 1) * each; ++i)
      texts.push_back(text_of(cells[i].entrant.row.factors));
    const std::string& label = rows[r].row.label;
    const std::optional<std::size_t> best = best_of(cells, *results, r * each, each);
    if (!best)
      throw std::runtime_error(
          fmt::format("{}: no training has a finite score with {} (compare.tune: other values)", label,
                      joined(texts, " or with ")));
    rows[r] = entrants.make(with_values(rows[r].row, cells[*best].entrant.row.factors));
    rows[r].tuned =
        fmt::format("{}: {}, the best of {} at the training length, on seed {} and the validation examples",
                    label, texts[*best - r * each], joined(texts, "; "), cells.front().seed);
    progress.say(rows[r].tuned);
  }
  return true;
}

}  // namespace ordinal::experiments

#include "experiments/experiment/tuning.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>

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

Row with_values(const Row& row, const Combination& values) {
  Row result = row;
  for (const auto& [key, value] : values) result.settings.set(key, value, "tuned");
  return result;
}

// The first stage of the row with these values.
Entrant candidate_of(const Entrant& entrant, const Combination& values, Entrants& entrants) {
  Row row = with_values(entrant.row, values);
  row.settings.set("finetune.steps", "0", "tuned");
  return entrants.make(row);
}

// Lower is better, whatever the metric; a model that diverged is the worst.
double cost_of(const TrainingRun& run, const Entrant& candidate, Threads& threads,
               const InterruptGuard& interrupt) {
  const Stage& stage = candidate.stages.front();
  const Index length = stage.plan.settings.integer("task.train_length");
  const LengthScore score = score_length(run.subject(*stage.plan.task, stage.plan.settings), length,
                                         trained_condition, threads, interrupt.asked());
  const Measurement* whole = score.find(stage.plan.task->measure() == Measure::bits ? "bits" : "accuracy");
  if (whole == nullptr || !std::isfinite(whole->value)) return std::numeric_limits<double>::infinity();
  return stage.plan.task->measure() == Measure::bits ? whole->value : -whole->value;
}

// Nothing if it was interrupted.
std::optional<double> train_candidate(const Cell& cell, const std::string& label, const Trainings& trainings,
                                      Threads& threads, Progress& progress, const InterruptGuard& interrupt) {
  const auto fails = [&](const std::exception& why) {
    progress.say(fmt::format("{}  fails: {}", label, why.what()));
    return std::numeric_limits<double>::infinity();
  };
  try {
    const auto run = trainings.train(cell, label, threads, progress, interrupt);
    if (!run) return std::nullopt;
    return cost_of(*run, cell.entrant, threads, interrupt);
  } catch (const Stopped&) {
    return std::nullopt;
  } catch (const Diverged& error) {
    return fails(error);
  } catch (const PositionError& error) {  // its encoding does not support the positions of training
    return fails(error);
  }
}

// The costs of all candidates; each rank knows those that it trained, and NaN for the others.
void share(Ranks& ranks, std::vector<double>& costs) {
  for (double& cost : costs)
    cost = std::stod(first_text(ranks, std::isnan(cost) ? "" : fmt::format("{}", cost)));
}

}  // namespace

void check_tuning(const Settings& settings) {
  for (const Factor& factor : settings.tuned()) {
    if (settings.rows_set(factor.key)) {
      throw ConfigError(fmt::format("{}: compare.tune.{}: rows differ in it, so it cannot be chosen for them",
                                    factor.origin, factor.key));
    }
    if (!factor.key.starts_with("finetune.")) continue;
    throw ConfigError(
        fmt::format("{}: compare.tune.{}: values are chosen by the result of the first stage, expected a key "
                    "of task, model, positional or train",
                    factor.origin, factor.key));
  }
  const auto scored = seeds(settings);
  const auto seed = static_cast<std::uint64_t>(settings.integer("experiment.tune_seed"));
  if (settings.tuned().empty() || std::ranges::find(scored, seed) == scored.end()) return;
  throw ConfigError(fmt::format(
      "experiment.tune_seed = {} is one of experiment.seeds = {}, expected a seed that is not scored", seed,
      settings.text("experiment.seeds")));
}

std::vector<Entrant> tuning_candidates(const std::vector<Entrant>& rows, const Settings& settings,
                                       Entrants& entrants) {
  std::vector<Entrant> candidates;
  if (settings.tuned().empty()) return candidates;
  for (const Entrant& row : rows) {
    for (const Combination& values : combinations(settings.tuned()))
      candidates.push_back(candidate_of(row, values, entrants));
  }
  return candidates;
}

bool tune(std::vector<Entrant>& rows, const std::vector<Entrant>& candidates, const Settings& settings,
          const LockedPath& out, Entrants& entrants, const CellWorkers& workers, Progress& progress,
          const InterruptGuard& interrupt) {
  const auto seed = static_cast<std::uint64_t>(settings.integer("experiment.tune_seed"));
  const std::vector<Combination> all = combinations(settings.tuned());
  std::vector<std::string> texts;
  for (const Combination& values : all) texts.push_back(text_of(values));
  std::vector<Cell> cells;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const Row& row = rows[i / all.size()].row;
    cells.push_back({candidates[i], seed, out / "tuning" / row.folder / folder_of(texts[i % all.size()])});
  }
  Trainings trainings;
  trainings.plan(cells);
  std::vector<double> costs(cells.size(), not_a_number);
  const CellWork work = [&](std::size_t i, Threads& threads, Progress& line) {
    const std::string label = fmt::format("[choosing {}/{}] {}, {}", i % all.size() + 1, all.size(),
                                          cells[i].entrant.row.label, texts[i % all.size()]);
    const auto cost = train_candidate(cells[i], label, trainings, threads, line, interrupt);
    costs[i] = cost.value_or(not_a_number);
    return cost.has_value();
  };
  std::vector<std::size_t> left(cells.size());
  std::iota(left.begin(), left.end(), 0);
  if (workers.share) {  // each part begins at another candidate, and ends with those that others are at
    std::rotate(left.begin(), left.begin() + std::ssize(left) * workers.share->index / workers.share->count,
                left.end());
  }
  if (!hand_out(cells, left, trainings, workers, progress, interrupt, work)) return false;
  share(workers.world.ranks(), costs);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const auto of_row = std::span(costs).subspan(r * all.size(), all.size());
    const auto best = static_cast<std::size_t>(std::ranges::min_element(of_row) - of_row.begin());
    const std::string label = rows[r].row.label;
    rows[r] = entrants.make(with_values(rows[r].row, all[best]));
    rows[r].tuned =
        fmt::format("{}: {}, the best of {} at the training length, on seed {} and the validation examples",
                    label, texts[best], joined(texts, "; "), seed);
    if (workers.world.ranks().rank() == 0) progress.say(rows[r].tuned);
  }
  return true;
}

}  // namespace ordinal::experiments

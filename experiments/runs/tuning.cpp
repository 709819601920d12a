#include "experiments/runs/tuning.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "experiments/runs/team.h"
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
  const Index length = stage.settings.integer("task.train_length");
  const LengthScore score = score_length(run.subject(*stage.task, stage.settings), length, trained_condition,
                                         threads, interrupt.asked());
  const Measurement* whole = score.find(stage.task->measure() == Measure::bits ? "bits" : "accuracy");
  if (whole == nullptr || !std::isfinite(whole->value)) return std::numeric_limits<double>::infinity();
  return stage.task->measure() == Measure::bits ? whole->value : -whole->value;
}

// Nothing if it was interrupted.
std::optional<double> train_candidate(const Cell& cell, const std::string& label, Trainings& trainings,
                                      Threads& threads, Ranks& ranks, Progress& progress,
                                      const InterruptGuard& interrupt) {
  const auto fails = [&](const std::exception& why) {
    progress.say(fmt::format("{}  fails: {}", label, why.what()));
    return std::numeric_limits<double>::infinity();
  };
  try {
    trainings.add(cell);
    const auto run = trainings.train(cell, label, threads, ranks, progress, interrupt);
    if (!run) return std::nullopt;
    return ranks.rank() == 0 ? cost_of(*run, cell.entrant, threads, interrupt) : 0.0;
  } catch (const Stopped&) {
    return std::nullopt;
  } catch (const Diverged& error) {
    return fails(error);
  } catch (const PositionError& error) {  // its encoding does not support the positions of training
    return fails(error);
  }
}

}  // namespace

void check_tuning(const Settings& settings) {
  for (const Factor& factor : settings.tuned()) {
    const auto is_key = [&](const auto& other) { return other.key == factor.key; };
    const bool written = std::ranges::any_of(settings.written_rows(), [&](const WrittenRow& row) {
      return std::ranges::any_of(row.changes, is_key);
    });
    if (written || std::ranges::any_of(settings.factors(), is_key)) {
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

std::optional<Entrant> tuned(const Entrant& entrant, const Settings& settings, const LockedPath& out,
                             Entrants& entrants, Trainings& trainings, const CellWorkers& workers,
                             Progress& progress, const InterruptGuard& interrupt) {
  const auto seed = static_cast<std::uint64_t>(settings.integer("experiment.tune_seed"));
  const std::vector<Combination> all = combinations(settings.tuned());
  Ranks& ranks = workers.world.ranks();
  std::vector<double> costs;
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < all.size(); ++i) {
    texts.push_back(text_of(all[i]));
    const Entrant candidate = candidate_of(entrant, all[i], entrants);
    const Cell cell{candidate, seed, out / "tuning" / entrant.row.folder / folder_of(texts.back())};
    const std::string label =
        fmt::format("[choosing {}/{}] {}, {}", i + 1, all.size(), entrant.row.label, texts.back());
    const Team team = make_team(workers.world, 1, candidate.stages.front().work.shards);
    Progress quiet(true);
    std::optional<double> cost = 0.0;
    if (team.number == 0) {
      cost = train_candidate(cell, label, trainings, workers.threads, *team.ranks,
                             ranks.rank() == 0 ? progress : quiet, interrupt);
    }
    if (ranks.any(!cost)) return std::nullopt;
    ranks.broadcast(std::as_writable_bytes(std::span(&*cost, 1)), 0);
    costs.push_back(*cost);
  }
  const auto best = static_cast<std::size_t>(std::ranges::min_element(costs) - costs.begin());
  Entrant chosen = entrants.make(with_values(entrant.row, all[best]));
  chosen.tuned =
      fmt::format("{}: {}, the best of {} at the training length, on seed {} and the validation examples",
                  entrant.row.label, texts[best], joined(texts, "; "), seed);
  if (ranks.rank() == 0) progress.say(chosen.tuned);
  return chosen;
}

}  // namespace ordinal::experiments

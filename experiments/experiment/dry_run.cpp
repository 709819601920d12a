#include "experiments/experiment/dry_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "experiments/experiment/side_by_side.h"
#include "experiments/process/timing.h"
#include "experiments/scoring/scoring.h"
#include "experiments/training/training_run.h"

namespace ordinal::experiments {
namespace {

// Distinct trainings, and their floating-point operations for one seed.
struct Trained {
  std::set<std::string> identities = {};
  double flops = 0.0;

  // Returns whether the training is new.
  bool add(const Stage& stage) {
    const bool is_new = identities.insert(stage.identity).second;
    if (is_new) flops += stage.work.flops;
    return is_new;
  }
};

// The rows of the table, with the notes below each.
std::string table(const std::vector<Entrant>& entrants, int threads, Trained& trained) {
  std::size_t width = 24;
  for (const Entrant& entrant : entrants) width = std::max(width, entrant.row.label.size());
  const auto line = [&](const auto&... columns) {
    return fmt::format("{:<{}} {:>12} {:>24} {:>10} {:>11} {:>12}\n", columns...);
  };
  std::string text =
      line("row", width, "parameters", "steps × batch × tokens", "TFLOPs", "memory", "to score");
  for (const Entrant& entrant : entrants) {
    for (const Stage& stage : entrant.stages) {
      const Workload& work = stage.work;
      text +=
          line(&stage == &entrant.first() ? entrant.row.label : "  then fine-tuned", width, work.parameters,
               fmt::format("{} × {} × {}{}", work.steps, work.batch, work.one_length ? "" : "up to ",
                           work.seq_len),
               trained.add(stage) ? fmt::format("{:.3g}", work.flops / 1e12) : "shared",
               fmt::format("{:.1f} MB", work.memory_bytes / 1e6),
               fmt::format("+ {:.1f} MB", work.scoring.bytes(threads) / 1e6));
      text += fmt::format("  {}{}{}\n", work.positions, work.constants.empty() ? "" : "; ", work.constants);
    }
    for (const std::string& note : entrant.notes()) text += fmt::format("  {}\n", note);
  }
  return text;
}

// The times of a row, in seconds on one thread.
struct RowTimes {
  std::vector<double> steps = {};  // by stage; none if the row cannot be trained at its positions
  double scoring = 0.0;
};

// Measures one example of each length and condition, and scales that to all of them.
double scoring_seconds(const TrainingRun& run, const Entrant& entrant, const Settings& evaluation,
                       Threads& threads) {
  Settings one_example = evaluation;
  one_example.set("evaluate.batches", "1", "forecast");
  one_example.set("evaluate.batch", "1", "forecast");
  const Subject subject = run.subject(entrant.task(), one_example);
  double seconds = 0.0;
  for (const Index length : evaluation_lengths(entrant.row.settings)) {
    const auto examples = static_cast<double>(examples_to_score(entrant.task(), evaluation, length));
    for (const std::string& condition : entrant.row.settings.list("evaluate.conditions"))
      seconds += examples * seconds_of([&] { score_length(subject, length, condition, threads); });
  }
  return seconds;
}

RowTimes measured(const Entrant& entrant, const Settings& evaluation) {
  Threads one(1);
  RowTimes times;
  try {
    for (const Stage& stage : entrant.stages) {
      TrainingRun run(stage.plan, 1, "", one, one_rank());
      times.steps.push_back(run.measure_step());
      if (&stage == &entrant.first()) times.scoring = scoring_seconds(run, entrant, evaluation, one);
    }
    return times;
  } catch (const PositionError&) {  // its results will report that
    return {};
  }
}

// The gain in speed from a second thread, for a step that takes one thread `seconds`: 1 doubles the speed.
double gain_of(const Entrant& entrant, double seconds) {
  Threads two(2);
  TrainingRun run(entrant.first().plan, 1, "", two, one_rank());
  return std::clamp(seconds / run.measure_step() - 1.0, 0.0, 1.0);
}

// The trainings to run, each with the scoring of the cells that share it.
std::vector<PlannedTraining> planned(const std::vector<Cell>& cells,
                                     const std::map<const Entrant*, RowTimes>& rows) {
  std::map<std::filesystem::path, PlannedTraining> by_place;
  std::set<std::filesystem::path> trained;
  for (const Cell& cell : cells) {
    const RowTimes& row = rows.at(&cell.entrant);
    PlannedTraining& training = by_place[cell.place()];
    training.seconds += row.scoring;
    for (std::size_t i = 0; i < row.steps.size(); ++i) {
      if (!trained.insert(cell.trainings[i]).second) continue;
      const Workload& work = cell.entrant.stages[i].work;
      training.seconds += row.steps[i] * work.steps_alike;
      training.shards = std::max(training.shards, work.shards);
    }
  }
  std::vector<PlannedTraining> all;
  for (const auto& [place, training] : by_place) all.push_back(training);
  return all;
}

}  // namespace

std::string dry_run_text(const Settings& settings, const std::vector<Entrant>& entrants,
                         const std::vector<Entrant>& candidates, int threads) {
  const std::vector<Index> all_looks = looks(settings);
  const auto seeds = static_cast<std::size_t>(all_looks.front());
  Trained choosing;
  for (const Entrant& candidate : candidates) choosing.add(candidate.first());
  Trained trained;
  const std::string rows = table(entrants, threads, trained);
  std::string text =
      fmt::format("{}: {} cells = {} rows × {} seeds, {} trainings", settings.text("experiment.name"),
                  entrants.size() * seeds, entrants.size(), seeds, trained.identities.size() * seeds);
  if (!candidates.empty()) text += fmt::format(", after {} that choose values", choosing.identities.size());
  if (all_looks.size() > 1) {
    text += fmt::format(", and up to {} seeds of rows about which something is undecided", all_looks.back());
  }
  text += "\n";
  std::set<std::string> tasks;
  for (const Entrant& entrant : entrants) tasks.insert(entrant.last().plan.task->describe());
  for (const std::string& task : tasks) text += fmt::format("task {}\n", task);
  for (const Factor& factor : settings.tuned()) {
    text += fmt::format("first, on seed {}, the best {} for each row: {}\n",
                        settings.integer("experiment.tune_seed"), factor.key, joined(factor.values));
  }
  const auto total = [&](Index on_seeds) {
    return (choosing.flops + trained.flops * static_cast<double>(on_seeds)) / 1e12;
  };
  text += rows + fmt::format("all trainings: {:.3g}", total(all_looks.front()));
  if (all_looks.size() > 1) text += fmt::format(" to {:.3g}", total(all_looks.back()));
  return text + fmt::format(" TFLOPs; scored at lengths {} ({})\n", joined(settings.list("evaluate.lengths")),
                            joined(settings.list("evaluate.conditions")));
}

double forecast(const std::vector<PlannedTraining>& trainings, const Workers& workers) {
  const double of_job = std::max(1.0, static_cast<double>(workers.threads) / workers.jobs);
  std::vector<double> free_at(static_cast<std::size_t>(workers.ranks) *
                              static_cast<std::size_t>(workers.jobs));
  for (const PlannedTraining& one : trainings) {
    const double threads = std::min(of_job, static_cast<double>(one.shards));
    *std::ranges::min_element(free_at) += one.seconds / (1.0 + workers.gain * (threads - 1.0));
  }
  return std::ranges::max(free_at);
}

std::string forecast_text(const std::vector<Cell>& cells, const Settings& evaluation, int threads, int jobs,
                          int ranks, Progress& progress) {
  for (const Cell& cell : cells) {
    for (const Stage& stage : cell.entrant.stages) stage.work.check_memory(1, 0, threads);
  }
  std::map<const Entrant*, RowTimes> rows;
  std::optional<double> measured_gain;  // of the first row that can be trained
  for (const Cell& cell : cells) {
    const auto [row, is_new] = rows.try_emplace(&cell.entrant);
    if (!is_new) continue;
    progress.update("measuring " + cell.entrant.row.label);
    row->second = measured(cell.entrant, evaluation);
    const std::vector<double>& steps = row->second.steps;
    if (!measured_gain && !steps.empty()) measured_gain = gain_of(cell.entrant, steps.front());
  }
  const double gain = measured_gain.value_or(0.0);
  const std::vector<PlannedTraining> all = planned(cells, rows);
  progress.clear();
  const double total = forecast(all, {});
  const double longest = std::ranges::max(all, {}, &PlannedTraining::seconds).seconds;
  std::string text = fmt::format(
      "measured here: {} of one thread for all trainings and their scores, {} for the longest; a second "
      "thread makes a training {:.2f} times as fast\n",
      duration_text(total), duration_text(longest), 1.0 + gain);
  const auto line = [&](const std::string& where, int processes, int trainings) {
    const double seconds = forecast(all, {processes, threads, trainings, gain});
    const double efficiency = seconds > 0.0 ? total / (seconds * processes * threads) : 1.0;
    text +=
        fmt::format("{}: about {}, efficiency {:.0f} %\n", where, duration_text(seconds), 100.0 * efficiency);
  };
  const auto jobs_of = [&](int processes) {
    return jobs_for((std::ssize(all) + processes - 1) / processes, threads, jobs).count;
  };
  line(fmt::format("on {} threads, {} trainings at a time", threads, jobs_of(1)), 1, jobs_of(1));
  if (ranks > 0) line(fmt::format("on {} ranks of {} threads", ranks, threads), ranks, jobs_of(ranks));
  return text;
}

}  // namespace ordinal::experiments

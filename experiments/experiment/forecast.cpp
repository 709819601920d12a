#include "experiments/experiment/forecast.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "experiments/experiment/side_by_side.h"
#include "experiments/process/memory.h"
#include "experiments/process/timing.h"
#include "experiments/scoring/scoring.h"
#include "framework/core/errors.h"

namespace ordinal::experiments {
namespace {

// A row, in seconds of one thread: its stages of training, and its scores.
struct RowCost {
  std::vector<PlannedTraining> stages;
  double scoring = 0.0;
};

class RowCosts {
 public:
  RowCosts(const Settings& evaluation, Progress& progress)
      : evaluation_(evaluation), one_example_(evaluation), progress_(progress) {
    one_example_.set("evaluate.batches", "1", "forecast");
    one_example_.set("evaluate.batch", "1", "forecast");
  }

  const RowCost& of(const Entrant& entrant) {
    const auto [cost, is_new] = rows_.emplace(&entrant, RowCost{});
    if (is_new) cost->second = measured(entrant);
    return cost->second;
  }

  // How much a second thread adds to the speed of a step, of the first row that can be trained: 1 doubles it.
  double gain(const std::vector<Cell>& cells) {
    const auto trained =
        std::ranges::find_if(cells, [&](const Cell& cell) { return !of(cell.entrant).stages.empty(); });
    return trained == cells.end() ? 0.0 : gain_of(trained->entrant);
  }

 private:
  static double gain_of(const Entrant& entrant) {
    const Stage& stage = entrant.stages.front();
    Threads one(1);
    Threads two(2);
    TrainingRun alone(stage.plan, 1, "", one, one_rank());
    TrainingRun together(stage.plan, 1, "", two, one_rank());
    const double seconds = alone.measure_step();
    return std::clamp(seconds / together.measure_step() - 1.0, 0.0, 1.0);
  }

  // Nothing for a row that cannot be trained at these positions.
  RowCost measured(const Entrant& entrant) {
    progress_.update("measuring " + entrant.row.label);
    try {
      return cost_of(entrant);
    } catch (const PositionError&) {
      return {};
    }
  }

  RowCost cost_of(const Entrant& entrant) {
    RowCost row;
    for (const Stage& stage : entrant.stages) {
      TrainingRun run(stage.plan, 1, "", one_, one_rank());
      row.stages.push_back({static_cast<double>(stage.work.steps) * run.measure_step(), stage.work.shards});
      if (&stage == &entrant.stages.front()) row.scoring = scoring_seconds(run, entrant);
    }
    return row;
  }

  // One example of each length and condition stands for all.
  double scoring_seconds(const TrainingRun& run, const Entrant& entrant) {
    double seconds = 0.0;
    for (const Index length : evaluation_lengths(entrant.row.settings)) {
      const auto examples = static_cast<double>(examples_to_score(entrant.task(), evaluation_, length));
      for (const std::string& condition : entrant.row.settings.list("evaluate.conditions")) {
        const Subject subject = run.subject(entrant.task(), one_example_);
        seconds += examples * seconds_of([&] { score_length(subject, length, condition, one_); });
      }
    }
    return seconds;
  }

  const Settings& evaluation_;
  Settings one_example_;
  Progress& progress_;
  Threads one_{1};
  std::map<const Entrant*, RowCost> rows_;
};

// The trainings that are given out, each with the scoring of the cells that share it.
std::vector<PlannedTraining> planned(const std::vector<Cell>& cells, const Trainings& trainings,
                                     RowCosts& costs) {
  std::map<std::filesystem::path, PlannedTraining> by_folder;
  std::set<std::pair<std::string, std::uint64_t>> trained;
  for (const Cell& cell : cells) {
    const RowCost& row = costs.of(cell.entrant);
    PlannedTraining& training = by_folder[trainings.first_folder(cell)];
    training.seconds += row.scoring;
    for (std::size_t i = 0; i < row.stages.size(); ++i) {
      if (!trained.insert({cell.entrant.stages[i].identity, cell.seed}).second) continue;
      training.seconds += row.stages[i].seconds;
      training.shards = std::max(training.shards, row.stages[i].shards);
    }
  }
  std::vector<PlannedTraining> all;
  for (const auto& [folder, training] : by_folder) all.push_back(training);
  return all;
}

double speed(double threads, Index shards, double gain) {
  return 1.0 + gain * (std::min(threads, static_cast<double>(shards)) - 1.0);
}

std::string line(const std::string& where, const Forecast& forecast) {
  return fmt::format("{}: about {}, efficiency {:.0f} %; no schedule takes less than {}\n", where,
                     duration_text(forecast.seconds), 100.0 * forecast.efficiency,
                     duration_text(forecast.bound));
}

}  // namespace

Forecast forecast(const std::vector<PlannedTraining>& trainings, const Workers& workers) {
  const double every_thread = static_cast<double>(workers.ranks) * workers.threads;
  const double of_job = std::max(1.0, static_cast<double>(workers.threads) / workers.jobs);
  std::vector<double> free_at(static_cast<std::size_t>(workers.ranks) *
                              static_cast<std::size_t>(workers.jobs));
  double total = 0.0;
  double longest = 0.0;
  for (const PlannedTraining& one : trainings) {
    total += one.seconds;
    longest = std::max(longest, one.seconds / speed(workers.threads, one.shards, workers.gain));
    *std::ranges::min_element(free_at) += one.seconds / speed(of_job, one.shards, workers.gain);
  }
  const double seconds = std::ranges::max(free_at);
  const double efficiency = seconds > 0.0 ? total / (seconds * every_thread) : 1.0;
  return {seconds, std::max(total / every_thread, longest), efficiency};
}

std::string forecast_text(const std::vector<Cell>& cells, const Trainings& trainings,
                          const Settings& evaluation, int threads, int jobs, int ranks, Progress& progress) {
  for (const Cell& cell : cells) {
    for (const Stage& stage : cell.entrant.stages) check_memory(stage.work.memory_bytes, stage.work.way_out);
  }
  RowCosts costs(evaluation, progress);
  const std::vector<PlannedTraining> all = planned(cells, trainings, costs);
  const double gain = costs.gain(cells);
  progress.clear();
  const double total = forecast(all, {}).seconds;
  const double longest = std::ranges::max(all, {}, &PlannedTraining::seconds).seconds;
  std::string text = fmt::format(
      "measured here: {} of one thread for all trainings and their scores, {} for the longest; a second "
      "thread makes a training {:.2f} times as fast\n",
      duration_text(total), duration_text(longest), 1.0 + gain);
  const auto workers = [&](int processes) {
    const Index share = (std::ssize(all) + processes - 1) / processes;
    return Workers{processes, threads, jobs_for(share, threads, jobs).count, gain};
  };
  const Workers here = workers(1);
  text += line(fmt::format("on {} threads, {} trainings at a time", threads, here.jobs), forecast(all, here));
  if (ranks > 0)
    text += line(fmt::format("on {} ranks of {} threads", ranks, threads), forecast(all, workers(ranks)));
  return text;
}

}  // namespace ordinal::experiments

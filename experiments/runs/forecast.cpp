#include "experiments/runs/forecast.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "experiments/runs/configure.h"
#include "experiments/runs/memory.h"
#include "experiments/runs/schedule.h"
#include "experiments/runs/scoring.h"
#include "experiments/runs/side_by_side.h"
#include "experiments/runs/timing.h"
#include "framework/core/errors.h"
#include "framework/core/vector_math.h"

namespace ordinal::experiments {
namespace {

// In seconds of one thread.
struct StageCost {
  double training = 0.0;
  double exchange = 0.0;  // of the gradients of all steps
  Index shards = 1;
};

// A row: its stages of training, and its scores.
struct RowCost {
  std::vector<StageCost> stages;
  double scoring = 0.0;
};

// Seconds to copy and add a gradient.
double exchange_seconds(const Parameters<float>& values) {
  std::vector<float> sum(values.flat().begin(), values.flat().end());
  std::vector<float> received(sum.size());
  return seconds_of([&] {
    std::ranges::copy(values.flat(), received.begin());
    vmath::add(sum.data(), received.data(), sum.data(), std::ssize(sum));
  });
}

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
    TrainingRun alone(stage.settings, *stage.task, 1, "", one, one_rank());
    TrainingRun together(stage.settings, *stage.task, 1, "", two, one_rank());
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
      TrainingRun run(stage.settings, *stage.task, 1, "", one_, one_rank());
      const double steps = static_cast<double>(stage.settings.integer("train.steps"));
      row.stages.push_back(
          {steps * run.measure_step(), steps * exchange_seconds(run.values()), stage.work.shards});
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

// The trainings that run_cells() takes one by one, each with the scoring of the cells that share it.
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
      training.seconds += row.stages[i].training;
      training.exchange += row.stages[i].exchange;
      training.shards = std::max(training.shards, row.stages[i].shards);
    }
  }
  std::vector<PlannedTraining> all;
  for (const auto& [folder, training] : by_folder) all.push_back(training);
  return all;
}

std::string line(const std::string& where, const Schedule& schedule) {
  return fmt::format("{}: about {}, efficiency {:.0f} %; no schedule takes less than {}\n", where,
                     duration_text(schedule.seconds), 100.0 * schedule.efficiency,
                     duration_text(schedule.bound));
}

}  // namespace

std::string forecast_text(const std::vector<Cell>& cells, const Trainings& trainings,
                          const Settings& evaluation, const ForecastRequest& request, Progress& progress) {
  for (const Cell& cell : cells) {
    for (const Stage& stage : cell.entrant.stages) check_memory(stage.work.memory_bytes, stage.work.way_out);
  }
  RowCosts costs(evaluation, progress);
  const std::vector<PlannedTraining> all = planned(cells, trainings, costs);
  const double gain = costs.gain(cells);
  progress.clear();
  double total = 0.0;
  double longest = 0.0;
  for (const PlannedTraining& one : all) {
    total += one.seconds;
    longest = std::max(longest, one.seconds);
  }
  std::string text = fmt::format(
      "measured here: {} of one thread for all trainings and their scores, {} for the longest; a second "
      "thread makes a training {:.2f} times as fast\n",
      duration_text(total), duration_text(longest), 1.0 + gain);
  const int jobs = jobs_for(std::ssize(all), request.threads, request.jobs).count;
  Workers workers{.ranks = 1, .threads = request.threads, .jobs = jobs, .gain = gain};
  text += line(fmt::format("on {} threads, {} trainings at a time", workers.threads, jobs),
               simulate(all, workers));
  if (request.ranks > 0) {
    workers.ranks = request.ranks;
    text += line(fmt::format("on {} ranks of {} threads", workers.ranks, workers.threads),
                 simulate(all, workers));
  }
  return text;
}

}  // namespace ordinal::experiments

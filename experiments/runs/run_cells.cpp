#include "experiments/runs/run_cells.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <map>
#include <mutex>

#include "experiments/runs/memory.h"
#include "experiments/runs/scoring.h"
#include "experiments/runs/side_by_side.h"
#include "experiments/runs/team.h"
#include "framework/core/errors.h"

namespace ordinal::experiments {
namespace {

CellResult describe(const Cell& cell, const TrainingRun& run) {
  CellResult result;
  result.row = cell.entrant.row.label;
  result.seed = cell.seed;
  result.parameters = run.model().layout().count();
  result.train_length = cell.entrant.row.settings.integer("task.train_length");
  result.note = run.model().encoding().note();
  result.training_curve = run.curve();
  if (!run.curve().empty()) result.final_train_loss = run.curve().back().second;
  result.seconds = run.seconds();
  result.gradient_norm = run.gradient_norm();
  result.machines = run.machines();
  result.weights_hash = weights_hash(run.values());
  return result;
}

class Runner {
 public:
  Runner(const std::vector<Cell>& cells, const Trainings& trainings, const Settings& evaluation,
         Progress& progress, const InterruptGuard& interrupt, const ResultsSoFar& finished)
      : cells_(cells),
        trainings_(trainings),
        evaluation_(evaluation),
        progress_(progress),
        interrupt_(interrupt),
        finished_(finished),
        results_(cells.size()),
        group_of_(cells.size(), done) {}

  // Rank 0 reads the results of earlier runs, and puts cells that share a training into a group.
  void read_finished(Ranks& ranks) {
    on_first(ranks, [&] {
      std::map<std::filesystem::path, Index> of_folder;
      for (std::size_t i = 0; i < cells_.size(); ++i) {
        results_[i] = finished_result(cells_[i]);
        if (results_[i]) {
          progress_.say(fmt::format("{}  already done, skipped", label(i)));
        } else {
          group_of_[i] =
              of_folder.emplace(trainings_.first_folder(cells_[i]), std::ssize(of_folder)).first->second;
        }
      }
    });
    ranks.broadcast(std::as_writable_bytes(std::span(group_of_)), 0);
  }

  // Cells to run one after the other.
  std::vector<std::vector<std::size_t>> groups() const {
    std::vector<std::vector<std::size_t>> groups;
    for (const std::size_t i : unfinished()) {
      const auto group = static_cast<std::size_t>(group_of_[i]);
      if (group == groups.size()) groups.emplace_back();
      groups[group].push_back(i);
    }
    return groups;
  }

  // What each training that is left needs.
  std::vector<Workload> work_left() const {
    std::vector<Workload> work;
    for (const std::size_t i : unfinished()) {
      for (const Stage& stage : cells_[i].entrant.stages) work.push_back(stage.work);
    }
    return work;
  }

  // The team takes its share of the cells. Returns false if it was interrupted.
  bool run(const std::vector<std::size_t>& group, const Team& team, Threads& threads, Progress progress) {
    const bool done = std::ranges::all_of(group, [&](std::size_t i) {
      if (stopped_) return false;
      try {
        if (!run_cell(i, *team.ranks, threads, progress)) return false;
      } catch (...) {
        stopped_ = true;  // the others end with the cell that they are in
        throw;
      }
      if (team.leads()) finish(i, team.count);
      return true;
    });
    progress.clear();
    return done;
  }

  // On rank 0, including those of other teams; none on other ranks.
  std::vector<CellResult> results(Ranks& ranks) {
    for (const std::size_t i : unfinished()) {
      const std::string text = first_text(ranks, results_[i] ? to_json(*results_[i]) : "");
      if (ranks.rank() == 0 && !results_[i]) results_[i] = cell_from_json(text);
    }
    std::vector<CellResult> all;
    if (ranks.rank() > 0) return all;
    for (const auto& result : results_) all.push_back(result.value());
    return all;
  }

 private:
  static constexpr Index done = -1;

  std::vector<std::size_t> unfinished() const {
    std::vector<std::size_t> cells;
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      if (group_of_[i] != done) cells.push_back(i);
    }
    return cells;
  }

  std::string label(std::size_t i) const {
    return fmt::format("[{}/{}] {} seed {}", i + 1, cells_.size(), cells_[i].entrant.row.label,
                       cells_[i].seed);
  }

  // Those that are there; those of other teams from their files.
  std::vector<CellResult> results_so_far(int teams) const {
    std::vector<CellResult> all;
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      const std::optional<CellResult> result =
          results_[i] || teams == 1 ? results_[i] : finished_result(cells_[i]);
      if (result) all.push_back(*result);
    }
    return all;
  }

  void finish(std::size_t i, int teams) {
    const std::lock_guard lock(mutex_);
    say_done(i, teams);
    if (finished_) finished_(results_so_far(teams));
  }

  void say_done(std::size_t i, int teams) {
    const CellResult& result = *results_[i];
    ++done_;
    if (std::isnan(result.final_train_loss)) return;  // it did not take a step
    const auto done = static_cast<double>(done_);
    const auto share = std::max(done, static_cast<double>(unfinished().size()) / teams);
    progress_.say(fmt::format("{}  {:.3f} bits in training, {}; all cells in about {}", label(i),
                              result.final_train_loss, duration_text(result.seconds),
                              pace_.time_left(done, share)));
  }

  // Returns false if it was interrupted. Rank 0 of the team scores and writes.
  bool run_cell(std::size_t i, Ranks& ranks, Threads& threads, Progress& progress) {
    on_first(ranks, [&] { begin_cell(cells_[i]); });
    std::optional<CellResult> result = train_and_score(i, ranks, threads, progress);
    bool done = result.has_value();
    ranks.broadcast(std::as_writable_bytes(std::span(&done, 1)), 0);
    if (!done || ranks.rank() > 0) return done;
    if (!result->scores.front().why.empty() && result->training_curve.empty()) {
      progress.say(fmt::format("{}  fails {}", label(i), result->scores.front().why));
    }
    finish_cell(cells_[i], *result);
    const std::lock_guard lock(mutex_);
    results_[i] = std::move(result);
    return true;
  }

  // If one row cannot be trained, the others still run.
  std::optional<CellResult> train_and_score(std::size_t i, Ranks& ranks, Threads& threads,
                                            Progress& progress) {
    const Cell& cell = cells_[i];
    try {
      const auto run = trainings_.train(cell, label(i), threads, ranks, progress, interrupt_);
      if (!run || ranks.rank() > 0) return std::nullopt;
      return score_cell(cell, *run, evaluation_, threads, progress, interrupt_);
    } catch (const Stopped&) {
      return std::nullopt;
    } catch (const PositionError& error) {  // the encoding does not support the positions of training
      return failed_result(cell, fmt::format("in training: {}", error.what()), false);
    } catch (const Diverged& error) {
      return failed_result(cell, error.what(), true);
    }
  }

  const std::vector<Cell>& cells_;
  const Trainings& trainings_;
  const Settings& evaluation_;
  Progress& progress_;
  const InterruptGuard& interrupt_;
  const ResultsSoFar& finished_;
  std::vector<std::optional<CellResult>> results_;
  std::vector<Index> group_of_;  // or `done`, in an earlier run
  std::atomic<bool> stopped_ = false;
  std::mutex mutex_;
  Index done_ = 0;
  Pace pace_;
};

// The number of the next group for this team: its first rank takes it, and tells the others.
std::function<Index()> taker(World& world, Ranks& team) {
  Index first = 0;
  if (world.ranks().rank() == 0) first = world.take_number() + 1;
  world.ranks().broadcast(std::as_writable_bytes(std::span(&first, 1)), 0);
  return [&world, &team, first] {
    Index number = team.rank() == 0 ? world.take_number() - first : 0;
    team.broadcast(std::as_writable_bytes(std::span(&number, 1)), 0);
    return number;
  };
}

struct Needs {
  double memory = 0.0;                               // of one training on each rank of this machine
  Index shards = std::numeric_limits<Index>::max();  // of the training with the fewest
};

// Throws ConfigError if a training, on each rank of this machine, needs more memory than there is.
Needs needs_of(const std::vector<Workload>& trainings, int ranks_here, int threads) {
  Needs needs;
  for (const Workload& work : trainings) {
    const double training = ranks_here * work.memory_bytes;
    check_memory(training, work.way_out);
    check_scoring_memory(training, ranks_here * work.scoring.bytes(threads), work.scoring.seq_len);
    needs.memory = std::max(needs.memory, training + ranks_here * work.scoring.bytes(1));
    needs.shards = std::min(needs.shards, work.shards);
  }
  return needs;
}

// How many trainings a rank of the team runs at once.
Jobs jobs_of(const Team& team, Index trainings, double memory, const CellWorkers& workers) {
  if (team.ranks->size() > 1) return {.count = 1, .threads = workers.threads.count()};
  const Index share = (trainings + team.count - 1) / team.count;
  const Index most = std::min<Index>(share, jobs_that_fit(memory, workers.jobs));
  return jobs_for(most, workers.threads.count(), workers.jobs);
}

}  // namespace

CellResult score_cell(const Cell& cell, const TrainingRun& run, const Settings& evaluation, Threads& threads,
                      Progress& progress, const InterruptGuard& interrupt) {
  CellResult result = describe(cell, run);
  result.scores =
      score_all(run.subject(cell.entrant.task(), evaluation),
                fmt::format("{} seed {}", result.row, cell.seed), threads, progress, interrupt.asked());
  return result;
}

std::optional<std::vector<CellResult>> run_cells(const std::vector<Cell>& cells, const Trainings& trainings,
                                                 const Settings& evaluation, const CellWorkers& workers,
                                                 Progress& progress, const InterruptGuard& interrupt,
                                                 const ResultsSoFar& finished) {
  World& world = workers.world;
  Runner runner(cells, trainings, evaluation, progress, interrupt, finished);
  runner.read_finished(world.ranks());
  const auto groups = runner.groups();
  const Needs needs = needs_of(runner.work_left(), world.ranks_here(), workers.threads.count());
  const Team team = make_team(world, std::ssize(groups), needs.shards);
  const Jobs jobs = jobs_of(team, std::ssize(groups), needs.memory, workers);
  Progress nothing(true);
  const auto run = [&](Index item, Index job, Threads& of_job) {
    return runner.run(groups[static_cast<std::size_t>(item)], team, of_job,
                      team.leads() ? progress.line(job) : nothing);
  };
  const auto take = taker(world, *team.ranks);
  const bool done = !team.works() || run_side_by_side(std::ssize(groups), jobs, run, take);
  if (world.ranks().any(!done)) return std::nullopt;
  return runner.results(world.ranks());
}

}  // namespace ordinal::experiments

#include "experiments/runs/run_cells.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <map>
#include <mutex>

#include "experiments/runs/memory.h"
#include "experiments/runs/scoring.h"
#include "experiments/runs/side_by_side.h"
#include "framework/core/errors.h"
#include "framework/storage/hash.h"

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
  result.weights_hash = fnv1a64_hex(std::as_bytes(run.values().flat()));
  return result;
}

// Scores at every length under every condition. Throws Stopped if it is interrupted.
CellResult score(const Cell& cell, const TrainingRun& run, const Settings& evaluation, Threads& threads,
                 Progress& progress, const InterruptGuard& interrupt) {
  CellResult result = describe(cell, run);
  const Settings& settings = cell.entrant.row.settings;
  for (const Index length : evaluation_lengths(settings)) {
    for (const std::string& condition : settings.list("evaluate.conditions")) {
      progress.update(
          fmt::format("{} seed {}  scoring length {}, {}", result.row, cell.seed, length, condition));
      result.scores.push_back(score_length(run.subject(cell.entrant.task(), evaluation), length, condition,
                                           threads, interrupt.asked()));
    }
  }
  return result;
}

class Runner {
 public:
  Runner(const std::vector<Cell>& cells, const Trainings& trainings, const Settings& evaluation,
         Progress& progress, const InterruptGuard& interrupt)
      : cells_(cells),
        trainings_(trainings),
        evaluation_(evaluation),
        progress_(progress),
        interrupt_(interrupt),
        results_(cells.size()) {}

  // Reads the results of earlier runs.
  void read_finished() {
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      results_[i] = finished_result(cells_[i]);
      if (results_[i]) progress_.say(fmt::format("{}  already done, skipped", label(i)));
    }
    left_ = std::ranges::count_if(results_, [](const auto& result) { return !result.has_value(); });
  }

  // The others, in groups that share a training and therefore run one after the other.
  std::vector<std::vector<std::size_t>> groups() const {
    std::vector<std::vector<std::size_t>> groups;
    std::map<std::filesystem::path, std::size_t> of_folder;
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      if (results_[i]) continue;
      const auto [group, is_new] = of_folder.emplace(trainings_.first_folder(cells_[i]), groups.size());
      if (is_new) groups.emplace_back();
      groups[group->second].push_back(i);
    }
    return groups;
  }

  // What each training that is left needs.
  std::vector<Workload> work_left() const {
    std::vector<Workload> work;
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      if (results_[i]) continue;
      for (const Stage& stage : cells_[i].entrant.stages) work.push_back(stage.work);
    }
    return work;
  }

  // Returns false if it was interrupted.
  bool run(const std::vector<std::size_t>& group, Threads& threads, Progress progress) {
    const bool done = std::ranges::all_of(group, [&](std::size_t i) {
      if (stopped_) return false;
      try {
        results_[i] = run_cell(cells_[i], label(i), threads, progress);
      } catch (...) {
        stopped_ = true;  // the others end with the cell that they are in
        throw;
      }
      if (results_[i]) say_done(i);
      return results_[i].has_value();
    });
    progress.clear();
    return done;
  }

  std::vector<CellResult> results() const {
    std::vector<CellResult> all;
    for (const auto& result : results_) all.push_back(result.value());
    return all;
  }

 private:
  std::string label(std::size_t i) const {
    return fmt::format("[{}/{}] {} seed {}", i + 1, cells_.size(), cells_[i].entrant.row.label,
                       cells_[i].seed);
  }

  void say_done(std::size_t i) {
    const CellResult& result = *results_[i];
    const std::lock_guard lock(mutex_);
    ++done_;
    if (std::isnan(result.final_train_loss)) return;  // it did not take a step
    progress_.say(fmt::format("{}  {:.3f} bits in training, {}; all cells in about {}", label(i),
                              result.final_train_loss, duration_text(result.seconds),
                              pace_.time_left(static_cast<double>(done_), static_cast<double>(left_))));
  }

  std::optional<CellResult> run_cell(const Cell& cell, const std::string& label, Threads& threads,
                                     Progress& progress) {
    begin_cell(cell);
    std::optional<CellResult> result;
    try {  // if one row cannot be trained, the others still run
      const auto run = trainings_.train(cell, label, threads, one_rank(), progress, interrupt_);
      if (run) result = score(cell, *run, evaluation_, threads, progress, interrupt_);
    } catch (const Stopped&) {
      return std::nullopt;
    } catch (const PositionError& error) {  // the encoding does not support the positions of training
      result = failed_result(cell, fmt::format("in training: {}", error.what()), false);
    } catch (const Diverged& error) {
      result = failed_result(cell, error.what(), true);
    }
    if (result && !result->scores.front().why.empty() && result->training_curve.empty()) {
      progress.say(fmt::format("{}  fails {}", label, result->scores.front().why));
    }
    if (result) finish_cell(cell, *result);
    return result;
  }

  const std::vector<Cell>& cells_;
  const Trainings& trainings_;
  const Settings& evaluation_;
  Progress& progress_;
  const InterruptGuard& interrupt_;
  std::vector<std::optional<CellResult>> results_;
  std::atomic<bool> stopped_ = false;
  std::mutex mutex_;
  Index left_ = 0;
  Index done_ = 0;
  Pace pace_;
};

}  // namespace

std::optional<std::vector<CellResult>> run_cells(const std::vector<Cell>& cells, const Trainings& trainings,
                                                 const Settings& evaluation, const CellThreads& threads,
                                                 Progress& progress, const InterruptGuard& interrupt) {
  Runner runner(cells, trainings, evaluation, progress, interrupt);
  runner.read_finished();
  const auto groups = runner.groups();
  double largest = 0.0;
  for (const Workload& work : runner.work_left()) {
    check_memory(work.memory_bytes);
    check_scoring_memory(work.memory_bytes, work.scoring.bytes(threads.all.count()), work.scoring.seq_len);
    largest = std::max(largest, work.memory_bytes + work.scoring.bytes(1));
  }
  const Index most = jobs_that_fit(largest, threads.jobs);
  const Jobs jobs = jobs_for(std::min<Index>(std::ssize(groups), most), threads.all.count(), threads.jobs);
  const auto run = [&](Index item, Index job, Threads& of_job) {
    return runner.run(groups[static_cast<std::size_t>(item)], of_job, progress.line(job));
  };
  if (!run_side_by_side(std::ssize(groups), jobs, run)) return std::nullopt;
  return runner.results();
}

}  // namespace ordinal::experiments

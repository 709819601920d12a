#include "experiments/experiment/run_cells.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <mutex>

#include "experiments/scoring/scoring.h"
#include "framework/core/errors.h"

namespace ordinal::experiments {
namespace {

class Runner {
 public:
  Runner(const std::vector<Cell>& cells, const Trainings& trainings, const Settings& evaluation,
         const CellWorkers& workers, Progress& progress, const InterruptGuard& interrupt,
         const ResultsSoFar& finished)
      : cells_(cells),
        trainings_(trainings),
        evaluation_(evaluation),
        ranks_(workers.world.ranks()),
        progress_(progress),
        interrupt_(interrupt),
        finished_(finished),
        results_(cells.size()) {
    read_finished(workers.share.value_or(Share()));
  }

  // Numbers of the cells that earlier runs have not done.
  const std::vector<std::size_t>& left() const { return left_; }

  // Returns false if it was interrupted.
  bool run(std::size_t i, Threads& threads, Progress& progress) {
    std::optional<CellResult> result = finished_result(cells_[i]);  // another process may have done it by now
    if (!result) {
      begin_cell(cells_[i]);
      result = train_and_score(i, threads, progress);
      if (!result) return false;
    }
    const std::lock_guard lock(mutex_);
    results_[i] = result;
    say_done(i);
    if (finished_) finished_(results_so_far());
    return true;
  }

  // On rank 0, including those of other ranks; none on the others.
  std::vector<CellResult> results() {
    for (const std::size_t i : left_) {
      const std::string text = first_text(ranks_, results_[i] ? to_json(*results_[i]) : "");
      if (ranks_.rank() == 0 && !results_[i]) results_[i] = cell_from_json(text);
    }
    std::vector<CellResult> all;
    if (ranks_.rank() > 0) return all;
    for (const auto& result : results_) {
      if (result) all.push_back(*result);
    }
    return all;
  }

 private:
  // Rank 0 reads the results of earlier runs.
  void read_finished(const Share& share) {
    std::vector<char> done(cells_.size());
    on_first(ranks_, [&] {
      for (std::size_t i = 0; i < cells_.size(); ++i) {
        if (!share.has(i)) continue;
        results_[i] = finished_result(cells_[i]);
        done[i] = results_[i].has_value() ? 1 : 0;
        if (results_[i]) progress_.say(fmt::format("{}  already done, skipped", label(i)));
      }
    });
    ranks_.broadcast(std::as_writable_bytes(std::span(done)), 0);
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      if (share.has(i) && done[i] == 0) left_.push_back(i);
    }
  }

  std::string label(std::size_t i) const {
    return fmt::format("[{}/{}] {} seed {}", i + 1, cells_.size(), cells_[i].entrant.row.label,
                       cells_[i].seed);
  }

  // Those that are there; those of other ranks from their files.
  std::vector<CellResult> results_so_far() const {
    std::vector<CellResult> all;
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      const std::optional<CellResult> result =
          results_[i] || ranks_.size() == 1 ? results_[i] : finished_result(cells_[i]);
      if (result) all.push_back(*result);
    }
    return all;
  }

  void say_done(std::size_t i) {
    const CellResult& result = *results_[i];
    ++done_;
    if (std::isnan(result.final_train_loss)) return;  // it did not take a step
    const auto done = static_cast<double>(done_);
    const auto share = std::max(done, static_cast<double>(left_.size()) / ranks_.size());
    progress_.say(fmt::format("{}  {:.3f} bits in training, {}; all cells in about {}", label(i),
                              result.final_train_loss, duration_text(result.seconds),
                              pace_.time_left(done, share)));
  }

  // If one row cannot be trained, the others still run. Nothing if it was interrupted.
  std::optional<CellResult> train_and_score(std::size_t i, Threads& threads, Progress& progress) {
    const Cell& cell = cells_[i];
    try {
      const auto run = trainings_.train(cell, label(i), threads, progress, interrupt_);
      if (!run) return std::nullopt;
      return score_cell(cell, run->subject(cell.entrant.task(), evaluation_), training_of(*run), threads,
                        progress, interrupt_);
    } catch (const Stopped&) {
      return std::nullopt;
    } catch (const PositionError& error) {  // the encoding does not support the positions of training
      return failed(i, fmt::format("in training: {}", error.what()), false, progress);
    } catch (const Diverged& error) {
      return failed(i, error.what(), true, progress);
    }
  }

  CellResult failed(std::size_t i, const std::string& why, bool diverged, Progress& progress) const {
    CellResult result = failed_result(cells_[i], why, diverged);
    progress.say(fmt::format("{}  fails {}", label(i), why));
    finish_cell(cells_[i], result);
    return result;
  }

  const std::vector<Cell>& cells_;
  const Trainings& trainings_;
  const Settings& evaluation_;
  Ranks& ranks_;
  Progress& progress_;
  const InterruptGuard& interrupt_;
  const ResultsSoFar& finished_;
  std::vector<std::optional<CellResult>> results_;
  std::vector<std::size_t> left_;
  std::mutex mutex_;
  Index done_ = 0;
  Pace pace_;
};

}  // namespace

CellResult training_of(const TrainingRun& run) {
  CellResult result;
  result.training_curve = run.curve();
  if (!run.curve().empty()) result.final_train_loss = run.curve().back().second;
  result.seconds = run.seconds();
  result.gradient_norm = run.gradient_norm();
  result.machines = run.machines();
  return result;
}

CellResult score_cell(const Cell& cell, const Subject& subject, CellResult trained, Threads& threads,
                      Progress& progress, const InterruptGuard& interrupt) {
  CellResult result = std::move(trained);
  result.row = cell.entrant.row.label;
  result.seed = cell.seed;
  result.parameters = subject.model.layout().count();
  result.train_length = cell.entrant.row.settings.integer("task.train_length");
  result.note = subject.model.encoding().note();
  result.weights_hash = weights_hash(subject.values);
  const std::string label = fmt::format("{} seed {}", result.row, cell.seed);
  const std::optional<CellResult> earlier = finished_result(cell);
  if (earlier && earlier->weights_hash == result.weights_hash) {
    progress.say(label + "  already done, skipped");
    return *earlier;
  }
  begin_cell(cell);
  result.scores = score_all(subject, label, threads, progress, interrupt.asked());
  finish_cell(cell, result);
  return result;
}

std::optional<std::vector<CellResult>> run_cells(const std::vector<Cell>& cells, const Trainings& trainings,
                                                 const Settings& evaluation, const CellWorkers& workers,
                                                 Progress& progress, const InterruptGuard& interrupt,
                                                 const ResultsSoFar& finished) {
  Runner runner(cells, trainings, evaluation, workers, progress, interrupt, finished);
  const CellWork work = [&](std::size_t i, Threads& threads, Progress& line) {
    return runner.run(i, threads, line);
  };
  if (!hand_out(cells, runner.left(), trainings, workers, progress, interrupt, work)) return std::nullopt;
  return runner.results();
}

}  // namespace ordinal::experiments

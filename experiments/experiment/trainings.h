// Runs the trainings of an experiment; a training that rows share runs once.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "experiments/experiment/cell.h"
#include "experiments/process/interrupt.h"
#include "experiments/process/progress.h"
#include "experiments/training/training_run.h"

namespace ordinal::experiments {

class Trainings {
 public:
  /// Gives each training of `cells` a folder: that of the first cell that needs it, or of one that began it
  /// in an earlier run. Discards earlier plans.
  void plan(const std::vector<Cell>& cells);
  /// The number of distinct trainings.
  Index count() const { return std::ssize(folders_); }

  /// Where the last stage of a cell is trained.
  std::filesystem::path folder(const Cell& cell) const;

  /// Trains all stages of a cell that are not done yet. Cells of which any stage has the same folder must not be
  /// trained at the same time. Returns the last stage, or nothing if it was interrupted. Throws PositionError if the
  /// encoding does not support the positions of training.
  std::unique_ptr<TrainingRun> train(const Cell& cell, const std::string& label, Threads& threads,
                                     Progress& progress, const InterruptGuard& interrupt) const;

  /// Where the first stage of a cell is trained.
  std::filesystem::path first_folder(const Cell& cell) const { return folder(cell, 0).native(); }

 private:
  LockedPath folder(const Cell& cell, std::size_t stage) const;

  std::map<std::pair<std::string, std::uint64_t>, std::filesystem::path> folders_;  // of (identity, seed)
};

}  // namespace ordinal::experiments

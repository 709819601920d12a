// One cell: trains its stages, then scores its model.
#pragma once

#include <memory>
#include <string>

#include "experiments/experiment/cell.h"
#include "experiments/process/interrupt.h"
#include "experiments/process/progress.h"
#include "framework/core/parameters.h"
#include "framework/core/threads.h"
#include "framework/storage/safetensors.h"
#include "models/transformer.h"

namespace ordinal::experiments {

/// Trains all unfinished stages of a cell. Returns the last stage, or nothing if interrupted.
std::unique_ptr<TrainingRun> train(const Cell& cell, const std::string& label, Threads& threads,
                                   Progress& progress, const InterruptGuard& interrupt,
                                   const TimeLeftText& time_left);

/// The model of a cell with the weights that are scored.
struct ScoredModel {
  /// Throws CheckpointError.
  explicit ScoredModel(const Cell& cell);

  SafetensorsFile file;
  Transformer<float> model;
  Parameters<float> values;
};

/// The result of a cell whose model was trained, by `run` or elsewhere. Returns that of an earlier run if it has these settings
/// and weights. Otherwise scores each length under each condition, and writes the result and, for a row that is tested in another way
/// than it is trained, a checkpoint that says so. Throws Stopped if interrupted.
CellResult score_cell(const Cell& cell, const TrainingRun* run, Threads& threads, Progress& progress,
                      const InterruptGuard& interrupt);

}  // namespace ordinal::experiments

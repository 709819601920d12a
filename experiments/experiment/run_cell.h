// One cell: trains its stages, then scores its model.
#pragma once

#include <memory>
#include <string>

#include "experiments/experiment/cell.h"
#include "experiments/process/interrupt.h"
#include "experiments/process/progress.h"
#include "framework/core/threads.h"

namespace ordinal::experiments {

/// Trains all unfinished stages of a cell. Returns the last stage, or nothing if interrupted.
std::unique_ptr<TrainingRun> train(const Cell& cell, const std::string& label, Threads& threads,
                                   Progress& progress, const InterruptGuard& interrupt,
                                   const TimeLeftText& time_left);

/// The result of a cell whose model was trained, by `run` or elsewhere. Returns that of an earlier run if it has these settings
/// and weights. Otherwise scores each length under each condition and writes the result. Throws Stopped if interrupted.
CellResult score_cell(const Cell& cell, const TrainingRun* run, Threads& threads, Progress& progress,
                      const InterruptGuard& interrupt);

}  // namespace ordinal::experiments

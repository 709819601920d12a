// Gives the cells of an experiment out to ranks, and to the trainings that each rank runs at once.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "experiments/experiment/trainings.h"
#include "experiments/settings/command_line.h"
#include "experiments/training/world.h"

namespace ordinal::experiments {

/// The ranks, the threads of all trainings of this rank together, and how many trainings it runs at once (0: one for each
/// thread, as far as half of the machine's memory holds them). With a share, other processes work on the other cells, in the
/// same folder.
struct CellWorkers {
  World& world;
  Threads& threads;
  int jobs = 0;
  std::optional<Share> share = {};
};

/// Trains cell number `cell`. Returns false if it was interrupted.
using CellWork = std::function<bool(std::size_t cell, Threads& threads, Progress& progress)>;

/// Calls `work` once for each of `left`, numbers of `cells`: on the rank and job that is free first, and for cells that
/// share a training one after the other. Of processes with shares only one at a time is at a training; the others wait for
/// it. All ranks call it; returns false if it was interrupted on any of them. Throws ConfigError, before the first call, if a
/// training of each rank of this machine needs more memory than there is.
bool hand_out(const std::vector<Cell>& cells, const std::vector<std::size_t>& left,
              const Trainings& trainings, const CellWorkers& workers, Progress& progress,
              const InterruptGuard& interrupt, const CellWork& work);

}  // namespace ordinal::experiments

#include "experiments/experiment/hand_out.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <thread>

#include "experiments/experiment/side_by_side.h"
#include "experiments/process/memory.h"

namespace ordinal::experiments {
namespace {

// Numbers of cells that share a training.
using Group = std::vector<std::size_t>;

std::vector<Group> groups_of(const std::vector<Cell>& cells, const std::vector<std::size_t>& left,
                             const Trainings& trainings) {
  std::vector<Group> groups;
  std::map<std::filesystem::path, std::size_t> of_folder;
  for (const std::size_t i : left) {
    const auto [group, is_new] = of_folder.emplace(trainings.first_folder(cells[i]), groups.size());
    if (is_new) groups.emplace_back();
    groups[group->second].push_back(i);
  }
  return groups;
}

// The memory of the largest training on each rank of this machine.
double memory_of(const std::vector<Cell>& cells, const std::vector<std::size_t>& left,
                 const CellWorkers& workers) {
  const int ranks = workers.world.ranks_here();
  double most = 0.0;
  for (const std::size_t i : left) {
    for (const Stage& stage : cells[i].entrant.stages) {
      const Workload& work = stage.work;
      const double training = ranks * work.memory_bytes;
      check_memory(training, work.way_out);
      check_scoring_memory(training, ranks * work.scoring.bytes(workers.threads.count()),
                           work.scoring.seq_len);
      most = std::max(most, training + ranks * work.scoring.bytes(1));
    }
  }
  return most;
}

// The number of the next group for this rank.
std::function<Index()> taker(World& world) {
  Index first = 0;
  if (world.ranks().rank() == 0) first = world.take_number() + 1;
  world.ranks().broadcast(std::as_writable_bytes(std::span(&first, 1)), 0);
  return [&world, first] { return world.take_number() - first; };
}

// The training of a cell, as long as the descriptor is open; no other process with a share of the cells is at it then. Not
// open if it was interrupted before another process was done with it.
Descriptor reserve(const Cell& cell, const Trainings& trainings, Progress& progress,
                   const InterruptGuard& interrupt) {
  const FolderLock& lock = *cell.folder.lock();
  const std::string training = trainings.first_folder(cell).lexically_relative(lock.path()).string();
  while (true) {
    Descriptor held = lock.reserve(training);
    if (held.open() || interrupt.requested()) return held;
    progress.update(
        fmt::format("{} seed {}  waits for the part that trains it", cell.entrant.row.label, cell.seed));
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
  }
}

}  // namespace

bool hand_out(const std::vector<Cell>& cells, const std::vector<std::size_t>& left,
              const Trainings& trainings, const CellWorkers& workers, Progress& progress,
              const InterruptGuard& interrupt, const CellWork& work) {
  const std::vector<Group> groups = groups_of(cells, left, trainings);
  const int ranks = workers.world.ranks().size();
  const Index share = (std::ssize(groups) + ranks - 1) / ranks;
  const int fit = jobs_that_fit(memory_of(cells, left, workers), workers.jobs);
  const Jobs jobs = jobs_for(std::min<Index>(share, fit), workers.threads.count(), workers.jobs);
  std::atomic<bool> stopped = false;
  const auto run = [&](Index item, Index job, Threads& threads) {
    Progress line = progress.line(job);
    const bool done = std::ranges::all_of(groups[static_cast<std::size_t>(item)], [&](std::size_t i) {
      if (stopped) return false;
      try {
        if (!workers.share) return work(i, threads, line);
        const Descriptor held = reserve(cells[i], trainings, line, interrupt);
        return held.open() && work(i, threads, line);
      } catch (...) {
        stopped = true;  // the others end with the cell that they are in
        throw;
      }
    });
    line.clear();
    return done;
  };
  const bool done = run_side_by_side(std::ssize(groups), jobs, run, taker(workers.world));
  return !workers.world.ranks().any(!done);
}

}  // namespace ordinal::experiments

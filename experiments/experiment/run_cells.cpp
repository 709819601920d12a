#include "experiments/experiment/run_cells.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <mutex>
#include <set>
#include <thread>
#include <utility>

#include "experiments/experiment/run_cell.h"
#include "experiments/experiment/side_by_side.h"
#include "experiments/experiment/work_order.h"
#include "experiments/process/folder_lock.h"
#include "experiments/process/machine.h"
#include "framework/core/errors.h"

namespace ordinal::experiments {
namespace {

// Indices of cells that share a training.
using Group = std::vector<std::size_t>;

// The bytes that `jobs` of these cells at a time need at most.
double largest_memory(const std::vector<Cell>& cells, int jobs, int threads) {
  double most = 0.0;
  for (const Cell& cell : cells) {
    const int trainings = cell.trainings.empty() ? 0 : jobs;
    for (const Stage& stage : cell.entrant.stages)
      most = std::max(
          most, stage.work.training.bytes(threads, trainings) + stage.work.scoring.bytes(threads, jobs));
  }
  return most;
}

struct Runner {
  const std::vector<Cell>& cells;
  const CellWorkers& workers;
  Progress& progress;
  const InterruptGuard& interrupt;
  const AfterSeed& after_seed;
  std::vector<std::optional<CellResult>> results = std::vector<std::optional<CellResult>>(cells.size());
  const std::vector<Index> rounds = rounds_of(cells);
  const std::vector<std::size_t> order = seed_by_seed(rounds);
  std::vector<std::size_t> left = {};  // cells that earlier runs did not finish, in the order of work
  std::set<std::size_t> begun = {};    // of these, by this process
  std::mutex mutex = {};
  std::mutex passing_on = {};
  Index seeds_passed_on = 0;
  const Pace pace = {};
  std::optional<TimeLeft> time_left = {};  // once the number of jobs is known

  // Trains what no other process does; at last waits for what others train, in case one of them ends before it is done. Returns
  // false if interrupted.
  bool run() {
    read_finished();
    seeds_passed_on = seeds_done();
    const int jobs = jobs_for_all();
    time_left.emplace(forecast(cells, left), jobs);
    for (std::vector<Group> groups = groups_left(); !groups.empty();) {
      const auto work = [&](Index item, Threads& threads) {
        return run_group(groups[static_cast<std::size_t>(item)], threads);
      };
      const int at_once = static_cast<int>(std::min<Index>(jobs, std::ssize(groups)));
      if (!run_side_by_side(std::ssize(groups), at_once, workers.threads.count(), work)) return false;
      const std::size_t before = groups.size();
      groups = groups_left();
      if (groups.size() == before && !wait_for_others(groups)) return false;
    }
    return true;
  }

  // How many trainings run at the same time. Throws ConfigError if there is not enough memory for one.
  int jobs_for_all() const {
    std::vector<Cell> cells_left;
    for (const std::size_t i : left) cells_left.push_back(cells[i]);
    const int threads = workers.threads.count();
    const auto memory = [&](int jobs) { return largest_memory(cells_left, jobs, threads); };
    check_memory(memory(1));
    const auto most = static_cast<int>(std::min<Index>(threads, std::ssize(groups_left())));
    return jobs_that_fit(memory, most, workers.jobs);
  }

  // Returns false if interrupted.
  bool wait_for_others(const std::vector<Group>& groups) const {
    const std::string& first = cells[groups.front().front()].name();
    progress.update(fmt::format("waits for another process, which trains {}", first));
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    return !interrupt.requested();
  }

  Index seeds_of_all() const { return rounds.empty() ? 0 : std::ranges::max(rounds) + 1; }

  // How many seeds every row has.
  Index seeds_done() const {
    Index least = seeds_of_all();
    for (const std::size_t i : left)
      if (!results[i]) least = std::min(least, rounds[i]);
    return least;
  }

  // The results of the seeds that every row has, and those of earlier runs.
  std::vector<CellResult> so_far(Index seeds) const {
    std::vector<CellResult> all;
    for (std::size_t i = 0; i < cells.size(); ++i)
      if (results[i] && (rounds[i] < seeds || std::ranges::count(left, i) == 0)) all.push_back(*results[i]);
    return all;
  }

  // The results of earlier runs. Of a model that exists, only loading its checkpoint shows whether it has the weights that were scored.
  void read_finished() {
    for (const std::size_t i : order) {
      if (!cells[i].trainings.empty()) results[i] = finished_result(cells[i]);
      if (results[i]) {
        progress.say(label(i) + "  already done, skipped");
      } else {
        left.push_back(i);
      }
    }
  }

  // Whether there is a result, also if another process wrote it.
  bool has_result(std::size_t i) {
    if (results[i] || cells[i].trainings.empty() || begun.contains(i)) return results[i].has_value();
    results[i] = finished_result(cells[i]);
    if (!results[i]) return false;
    time_left->leave_out(i);
    progress.say(label(i) + "  done by another process");
    return true;
  }

  std::vector<Group> groups_left() const {
    std::vector<Group> groups;
    std::map<std::filesystem::path, std::size_t> of_place;
    for (const std::size_t i : left) {
      if (results[i]) continue;
      const auto [group, is_new] = of_place.emplace(cells[i].place(), groups.size());
      if (is_new) groups.emplace_back();
      groups[group->second].push_back(i);
    }
    return groups;
  }

  // The cells of a group share a training, on which one process works at a time: if that is another one, they are left for later.
  bool run_group(const Group& group, Threads& threads) {
    const LockedPath& training = cells[group.front()].place();
    const FolderLock& lock = *training.lock();
    const Descriptor held = lock.reserve(training.lexically_relative(lock.path()).string());
    return !held.open() || std::ranges::all_of(group, [&](auto i) { return run_cell(i, threads); });
  }

  // False if there is a result already.
  bool begin(std::size_t i) {
    const std::lock_guard lock(mutex);
    if (has_result(i)) return false;
    begun.insert(i);
    time_left->start(i, pace.seconds());
    return true;
  }

  // Returns false if interrupted.
  bool run_cell(std::size_t i, Threads& threads) {
    if (!begin(i)) return true;
    const std::optional<CellResult> result = result_of(i, threads);
    if (!result) return false;
    std::unique_lock lock(mutex);
    results[i] = result;
    time_left->finish(i, pace.seconds());
    say_done(i);
    for (const std::size_t other : left) has_result(other);
    pass_on(std::move(lock));
    return true;
  }

  // The results after each seed but the last. The other threads go on, until the next seed is done.
  void pass_on(std::unique_lock<std::mutex> lock) {
    const SeedsSoFar seeds{seeds_done(), seeds_of_all()};
    if (!after_seed || seeds.done == seeds_passed_on || seeds.done == seeds.all) return;
    seeds_passed_on = seeds.done;
    std::vector<CellResult> so_far = this->so_far(seeds.done);
    const std::lock_guard one_at_a_time(passing_on);
    lock.unlock();
    after_seed(std::move(so_far), seeds);
  }

  // If one row cannot be trained, the others still run. Returns nothing if interrupted.
  std::optional<CellResult> result_of(std::size_t i, Threads& threads) {
    const Cell& cell = cells[i];
    link_training(cell);
    try {
      const auto advance = [&](double share) {
        time_left->advance(i, share);
        return time_left_text();
      };
      const auto run = train(cell, label(i), threads, progress, interrupt, advance);
      if (!run && !cell.trainings.empty()) return std::nullopt;
      return score_cell(cell, run.get(), threads, progress, interrupt);
    } catch (const Stopped&) {  // during scoring
      return std::nullopt;
    } catch (const PositionError& error) {  // the encoding does not support the positions of training
      return fail(i, fmt::format("in training: {}", error.what()), false);
    } catch (const Diverged& error) {
      return fail(i, error.what(), true);
    }
  }

  CellResult fail(std::size_t i, const std::string& why, bool diverged) const {
    CellResult result = failed_result(cells[i], why, diverged);
    progress.say(fmt::format("{}  {}{}", label(i), diverged ? "" : "fails ", why));
    write_result(cells[i], result);
    return result;
  }

  std::string label(std::size_t i) const {
    const auto number = std::ranges::find(order, i) - order.begin() + 1;
    return fmt::format("[{}/{}] {}", number, cells.size(), cells[i].name());
  }

  // "about 12 s left".
  std::string time_left_text() const {
    const std::optional<double> seconds = time_left->left(pace.seconds());
    return fmt::format("about {} left", seconds ? duration_text(*seconds) : "?");
  }

  void say_done(std::size_t i) const {
    const CellResult& result = *results[i];
    if (result.weights_hash.empty()) return;  // fail() has said why
    std::string what = score_text(cells[i], result);
    if (!std::isnan(result.seconds)) what += (what.empty() ? "" : ", ") + duration_text(result.seconds);
    const bool is_last = std::ranges::all_of(left, [&](std::size_t one) { return results[one].has_value(); });
    if (!is_last) what += "; " + time_left_text();
    progress.say(label(i) + "  " + what);
  }
};

}  // namespace

void check_cells(const std::vector<Cell>& cells, const CellWorkers& workers) {
  std::vector<Cell> left;
  for (const Cell& cell : cells)
    if (!finished_result(cell) || cell.trainings.empty()) left.push_back(cell);
  check_memory(largest_memory(left, 1, workers.threads.count()));
  std::set<std::filesystem::path> checked;  // rows may share a training
  for (const Cell& cell : left) {
    if (cell.trainings.empty()) ScoredModel{cell};
    for (const Training& training : cell.trainings) {
      const bool has_weights = !training.begun().empty() || !cell.initial.empty();
      if (has_weights && checked.insert(training.folder).second)
        TrainingRun(training, cell.seed, workers.threads);
    }
  }
}

std::string memory_problem(const std::vector<Cell>& cells, const CellWorkers& workers) {
  try {
    check_memory(largest_memory(cells, 1, workers.threads.count()));
    return "";
  } catch (const ConfigError& error) {
    return error.what();
  }
}

std::optional<std::vector<CellResult>> run_cells(const std::vector<Cell>& cells, const CellWorkers& workers,
                                                 Progress& progress, const InterruptGuard& interrupt,
                                                 const AfterSeed& after_seed) {
  Runner runner{cells, workers, progress, interrupt, after_seed};
  if (!runner.run()) return std::nullopt;
  return runner.so_far(runner.seeds_of_all());
}

}  // namespace ordinal::experiments

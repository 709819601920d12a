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

#include "experiments/experiment/side_by_side.h"
#include "experiments/experiment/work_order.h"
#include "experiments/process/folder_lock.h"
#include "experiments/process/machine.h"
#include "experiments/scoring/scoring.h"
#include "framework/core/errors.h"

namespace ordinal::experiments {
namespace {

// Indices of cells that share a training.
using Group = std::vector<std::size_t>;

// Trains all unfinished stages of a cell. Returns the last stage, or nothing if interrupted.
std::unique_ptr<TrainingRun> train(const Cell& cell, const std::string& label, Threads& threads,
                                   Progress& progress, const InterruptGuard& interrupt,
                                   const TimeLeftText& time_left) {
  std::unique_ptr<TrainingRun> run;
  const auto stages = static_cast<double>(cell.trainings.size());
  for (std::size_t i = 0; i < cell.trainings.size(); ++i) {
    const std::string name = label + (i == 0 ? "" : " fine-tuning");
    const std::filesystem::path initial = run ? run->checkpoint_path() : cell.initial;
    const LockedPath& folder = cell.trainings[i].folder;
    run = std::make_unique<TrainingRun>(cell.trainings[i], cell.seed, threads, initial);
    const bool is_shared = folder != cell.folder && folder.parent_path() != cell.folder;
    if (run->steps() > 0 && run->finished() && is_shared) progress.say(name + "  shares a training");
    const auto of_cell = [&](double share) { return time_left((static_cast<double>(i) + share) / stages); };
    if (!run->train(name, progress, interrupt, of_cell)) return nullptr;
  }
  return run;
}

// The model of a cell with the weights that are scored.
struct ScoredModel {
  explicit ScoredModel(const Cell& cell)
      : file(cell.checkpoint), model(cell.entrant.last().plan.model), values(model.layout()) {
    load_parameters(file, values);
  }

  SafetensorsFile file;
  Transformer<float> model;
  Parameters<float> values;
};

// The result of a cell whose model was trained, by `run` or elsewhere. Returns that of an earlier run if it has these settings
// and weights. Otherwise scores each length under each condition and writes the result. Throws Stopped if interrupted.
CellResult score_cell(const Cell& cell, const TrainingRun* run, Threads& threads, Progress& progress,
                      const InterruptGuard& interrupt) {
  const ScoredModel scored(cell);
  CellResult result = empty_result(cell);
  if (run != nullptr) {
    run->check(scored.file, cell.checkpoint, run->steps(), run->steps());
    result.training_curve = run->log().curve(run->steps());
    if (!result.training_curve.empty()) result.final_train_loss = result.training_curve.back().second;
    result.seconds = run->log().seconds();
  }
  const auto builds = scored.file.metadata().find("builds");
  if (builds != scored.file.metadata().end()) result.builds = builds->second;
  result.note = scored.model.encoding().note();
  result.weights_hash = weights_hash(scored.values);
  const std::optional<CellResult> earlier = finished_result(cell);
  if (earlier && earlier->weights_hash == result.weights_hash) {
    progress.say(cell.name() + "  already done, skipped");
    return *earlier;
  }
  const Subject subject{scored.model,    scored.values, cell.entrant.task(), cell.entrant.last().plan,
                        cell.evaluation, cell.seed};
  const Index at_once = std::max<Index>(threads.count(), cell.entrant.row.settings.integer("train.batch"));
  std::vector<Examples> batches;  // of one length
  for (Index drawn = 0; const auto& [length, condition] : tests_of(cell.entrant.row.settings)) {
    progress.update(fmt::format("{}  scoring length {}, {}", cell.name(), length, condition));
    if (length != std::exchange(drawn, length)) batches = validation_batches(subject, length, at_once);
    score_length(subject, length, condition, batches, threads, result, [&] { return interrupt.requested(); });
  }
  write_result(cell, result);
  return result;
}

// Throws what training the cell would throw because of the files that exist.
void check_trainings(const Cell& cell, Threads& threads) {
  const auto is_begun = [&](std::size_t i) {
    return i < cell.trainings.size() && std::filesystem::exists(checkpoint_in(cell.trainings[i].folder));
  };
  std::filesystem::path initial = cell.initial;
  for (std::size_t i = 0; is_begun(i) || (i == 0 && !initial.empty()); ++i) {
    const TrainingRun run(cell.trainings[i], cell.seed, threads, initial);
    if (run.goes_past_end() && is_begun(i + 1)) {
      throw ConfigError(
          fmt::format("{}: it continues from step {} of the first stage, this run trains that "
                      "stage to step {}; choose another --out, or remove it",
                      cell.trainings[i + 1].folder.string(), run.steps(),
                      cell.entrant.stages[i].plan.settings.integer("train.steps")));
    }
    if (!run.finished()) return;
    initial = run.checkpoint_path();
  }
}

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
  std::mutex mutex = {};
  std::mutex passing_on = {};
  Index seeds_passed_on = 0;
  const Pace pace = {};
  std::optional<TimeLeft> time_left = {};  // once the number of jobs is known

  // Returns false if interrupted.
  bool run() {
    read_finished();
    seeds_passed_on = seeds_done();
    const std::vector<Group> groups = groups_left();
    std::vector<Cell> cells_left;
    for (const std::size_t i : left) cells_left.push_back(cells[i]);
    const int threads = workers.threads.count();
    const auto memory = [&](int jobs) { return largest_memory(cells_left, jobs, threads); };
    check_memory(memory(1));
    const auto most = static_cast<int>(std::min<Index>(threads, std::ssize(groups)));
    const int jobs = jobs_that_fit(memory, most, workers.jobs);
    time_left.emplace(forecast(cells, left), jobs);
    const auto work = [&](Index item, Threads& threads) {
      return run_group(groups[static_cast<std::size_t>(item)], threads);
    };
    return run_side_by_side(std::ssize(groups), jobs, threads, work);
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

  // The results of earlier runs. Only loading a checkpoint shows whether it has the weights that were scored.
  void read_finished() {
    for (const std::size_t i : order) {
      if (cells[i].is_from_scratch()) results[i] = finished_result(cells[i]);
      if (results[i]) {
        progress.say(label(i) + "  already done, skipped");
      } else {
        left.push_back(i);
      }
    }
  }

  std::vector<Group> groups_left() const {
    std::vector<Group> groups;
    std::map<std::filesystem::path, std::size_t> of_place;
    for (const std::size_t i : left) {
      const auto [group, is_new] = of_place.emplace(cells[i].place(), groups.size());
      if (is_new) groups.emplace_back();
      groups[group->second].push_back(i);
    }
    if (workers.share) {  // each part starts at a different group, and ends with groups others are at
      const Index first = std::ssize(groups) * workers.share->index / workers.share->count;
      std::rotate(groups.begin(), groups.begin() + first, groups.end());
    }
    return groups;
  }

  // The cells of a group share a training. While other parts run, only one of them works on it.
  bool run_group(const Group& group, Threads& threads) {
    const auto run = [&] { return std::ranges::all_of(group, [&](auto i) { return run_cell(i, threads); }); };
    if (!workers.share) return run();
    const Descriptor held = reserve(cells[group.front()]);
    return held.open() && run();
  }

  // While the descriptor is open, no other process with a share of the cells works on this training. The
  // descriptor is not open if this process was interrupted before another one was done with the training.
  Descriptor reserve(const Cell& cell) const {
    const FolderLock& lock = *cell.folder.lock();
    const std::string training = cell.place().lexically_relative(lock.path()).string();
    while (true) {
      Descriptor held = lock.reserve(training);
      if (held.open() || interrupt.requested()) return held;
      progress.update(cell.name() + "  waits for the part that trains it");
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
    }
  }

  // Returns false if interrupted.
  bool run_cell(std::size_t i, Threads& threads) {
    time_left->start(i, pace.seconds());
    const std::optional<CellResult> result = result_of(i, threads);
    if (!result) return false;
    std::unique_lock lock(mutex);
    results[i] = result;
    time_left->finish(i, pace.seconds());
    say_done(i);
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
    auto done = cell.is_from_scratch() ? finished_result(cell) : std::nullopt;
    if (done) return done;  // another process has finished it by now
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
  for (const Cell& cell : cells) {
    if (!finished_result(cell) || !cell.is_from_scratch()) left.push_back(cell);
  }
  check_memory(largest_memory(left, 1, workers.threads.count()));
  std::set<std::filesystem::path> checked;  // rows may share a training
  for (const Cell& cell : left) {
    if (cell.trainings.empty()) {
      ScoredModel{cell};
    } else if (checked.insert(cell.trainings.back().folder).second) {
      check_trainings(cell, workers.threads);
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

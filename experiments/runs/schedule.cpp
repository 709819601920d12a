#include "experiments/runs/schedule.h"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "experiments/runs/team.h"

namespace ordinal::experiments {
namespace {

double speed(int threads, Index shards, double gain) {
  const auto useful = static_cast<double>(std::min<Index>(threads, shards));
  return 1.0 + gain * (useful - 1.0);
}

// A training that runs; `left` are seconds of one thread.
struct Running {
  double left = 0.0;
  double speed = 1.0;
  Index shards = 1;
};

// One rank, or a group that shares its trainings.
class Rank {
 public:
  Rank(int threads, int jobs, double gain) : threads_(threads), jobs_(jobs), gain_(gain) {}

  bool has_room() const { return std::ssize(running_) < jobs_; }
  bool is_idle() const { return running_.empty(); }
  void start(const PlannedTraining& training) {
    running_.push_back({.left = training.seconds, .shards = training.shards});
    share_threads();
  }

  // Until the next training ends.
  double next_end() const {
    double next = std::numeric_limits<double>::infinity();
    for (const Running& one : running_) next = std::min(next, one.left / one.speed);
    return next;
  }

  void advance(double seconds) {
    for (Running& one : running_) one.left -= seconds * one.speed;
    const auto has_ended = [](const Running& one) { return one.left <= 1e-9; };
    if (std::erase_if(running_, has_ended) > 0) share_threads();
  }

 private:
  // As the jobs of run_side_by_side() get helpers: evenly.
  void share_threads() {
    const int count = static_cast<int>(running_.size());
    for (int i = 0; i < count; ++i) {
      Running& one = running_[static_cast<std::size_t>(i)];
      one.speed = speed(threads_ / count + (i < threads_ % count ? 1 : 0), one.shards, gain_);
    }
  }

  int threads_;
  int jobs_;
  double gain_;
  std::vector<Running> running_;
};

double time_of(const std::vector<PlannedTraining>& trainings, std::vector<Rank> ranks) {
  double now = 0.0;
  auto next = trainings.begin();
  while (true) {
    for (bool took = true; took;) {  // one for each rank, then a second one
      took = false;
      for (Rank& rank : ranks) {
        if (next == trainings.end() || !rank.has_room()) continue;
        rank.start(*next++);
        took = true;
      }
    }
    double step = std::numeric_limits<double>::infinity();
    for (const Rank& rank : ranks) step = std::min(step, rank.next_end());
    if (step == std::numeric_limits<double>::infinity()) return now;
    now += step;
    for (Rank& rank : ranks) rank.advance(step);
  }
}

}  // namespace

Schedule simulate(const std::vector<PlannedTraining>& trainings, const Workers& workers) {
  if (trainings.empty() || workers.ranks < 1 || workers.threads < 1 || workers.jobs < 1) {
    throw std::invalid_argument("simulate: expected at least one training, rank, thread and job");
  }
  const Index fewest_shards = std::ranges::min(trainings, {}, &PlannedTraining::shards).shards;
  const int group = ranks_per_training(workers.ranks, std::ssize(trainings), fewest_shards);
  const int threads = group * workers.threads;
  const double exchanges = 2.0 * (1.0 - 1.0 / group);
  std::vector<PlannedTraining> all = trainings;
  double total = 0.0;
  double longest = 0.0;
  for (PlannedTraining& training : all) {
    total += training.seconds;
    longest = std::max(longest, training.seconds / speed(threads, training.shards, workers.gain));
    training.seconds += exchanges * training.exchange * speed(threads, training.shards, workers.gain);
  }
  const std::vector<Rank> ranks(static_cast<std::size_t>(workers.ranks / group),
                                Rank(threads, group > 1 ? 1 : workers.jobs, workers.gain));
  Schedule schedule;
  schedule.seconds = time_of(all, ranks);
  const double every_thread = static_cast<double>(workers.ranks) * workers.threads;
  schedule.bound = std::max(total / every_thread, longest);
  schedule.efficiency = schedule.seconds > 0.0 ? total / (schedule.seconds * every_thread) : 1.0;
  return schedule;
}

}  // namespace ordinal::experiments

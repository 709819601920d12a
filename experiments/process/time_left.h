// How long an experiment still takes: one estimate, which changes by small steps.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <optional>

namespace ordinal::experiments {

/// What is known of a cell before it runs: its row, and its cost in any unit that is the same for all.
struct ForecastCell {
  std::size_t row = 0;
  double cost = 0.0;
};

/// Times are seconds since the start. A cell takes as long as the mean of those of its row that have finished; before there is one,
/// its cost times the seconds that a unit of cost has taken. Safe to share between threads.
class TimeLeft {
 public:
  /// The change of an estimate is at most this share of it, once each row has a finished cell.
  static constexpr double largest_change = 0.2;

  /// The cells that are left, by a number of the caller's, of which `jobs` run at the same time.
  TimeLeft(const std::map<std::size_t, ForecastCell>& cells, int jobs);

  void start(std::size_t cell, double now);
  /// This share of the cost of a cell that runs is done.
  void advance(std::size_t cell, double share);
  void finish(std::size_t cell, double now);
  /// Another process has finished it.
  void leave_out(std::size_t cell);

  /// The seconds from `now` to the end; nothing if nothing is known yet. Once each row has a finished cell, this is the estimate
  /// at the last call of finish() minus the time since, and at least 0.
  std::optional<double> left(double now) const;

 private:
  struct Work {
    ForecastCell forecast = {};
    std::optional<double> started = {};
    double share = 0.0;
    bool is_finished = false;
  };
  struct Finished {
    double seconds = 0.0;
    double count = 0.0;
  };

  std::optional<double> seconds_per_cost(double now) const;
  std::optional<double> measured_left(double now) const;
  bool is_each_row_measured() const;

  mutable std::mutex mutex_;
  std::map<std::size_t, Work> cells_;
  int jobs_;
  std::map<std::size_t, Finished> rows_;  // that have a finished cell
  std::optional<double> end_;             // once each row has one
};

}  // namespace ordinal::experiments

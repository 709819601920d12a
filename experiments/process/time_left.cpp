#include "experiments/process/time_left.h"

#include <algorithm>

namespace ordinal::experiments {

TimeLeft::TimeLeft(const std::map<std::size_t, ForecastCell>& cells, int jobs) : jobs_(jobs) {
  for (const auto& [number, cell] : cells) cells_[number].forecast = cell;
}

void TimeLeft::start(std::size_t cell, double now) {
  const std::lock_guard lock(mutex_);
  cells_.at(cell).started = now;
}

void TimeLeft::advance(std::size_t cell, double share) {
  const std::lock_guard lock(mutex_);
  cells_.at(cell).share = share;
}

void TimeLeft::finish(std::size_t cell, double now) {
  const std::lock_guard lock(mutex_);
  Work& work = cells_.at(cell);
  work.is_finished = true;
  work.share = 1.0;
  Finished& row = rows_[work.forecast.row];
  row.seconds += now - work.started.value_or(now);
  row.count += 1.0;
  if (!is_each_row_measured()) return;
  const double measured = *measured_left(now);
  if (!end_) {
    end_ = now + measured;
    return;
  }
  const double expected = std::max(*end_ - now, 1.0);  // from 0, no estimate could grow
  end_ = now + std::clamp(measured, (1.0 - largest_change) * expected, (1.0 + largest_change) * expected);
}

void TimeLeft::leave_out(std::size_t cell) {
  const std::lock_guard lock(mutex_);
  cells_.erase(cell);
}

std::optional<double> TimeLeft::left(double now) const {
  const std::lock_guard lock(mutex_);
  return end_ ? std::max(*end_ - now, 0.0) : measured_left(now);
}

bool TimeLeft::is_each_row_measured() const {
  return std::ranges::all_of(cells_,
                             [&](const auto& cell) { return rows_.contains(cell.second.forecast.row); });
}

// Of all that was done so far; nothing if that had no cost.
std::optional<double> TimeLeft::seconds_per_cost(double now) const {
  double seconds = 0.0;
  double cost = 0.0;
  for (const auto& [row, finished] : rows_) seconds += finished.seconds;
  for (const auto& [number, work] : cells_) {
    cost += work.share * work.forecast.cost;
    if (work.started && !work.is_finished) seconds += now - *work.started;
  }
  return cost > 0.0 ? std::optional(seconds / cost) : std::nullopt;
}

// The sum over the cells that are left, of which `jobs` run at a time; at least that of the longest.
std::optional<double> TimeLeft::measured_left(double now) const {
  const std::optional<double> per_cost = seconds_per_cost(now);
  double sum = 0.0;
  double longest = 0.0;
  for (const auto& [number, work] : cells_) {
    if (work.is_finished) continue;
    const auto row = rows_.find(work.forecast.row);
    if (row == rows_.end() && !per_cost) return std::nullopt;
    const double whole =
        row == rows_.end() ? *per_cost * work.forecast.cost : row->second.seconds / row->second.count;
    const double left = work.started ? std::max(whole - (now - *work.started), 0.0) : whole;
    sum += left;
    longest = std::max(longest, left);
  }
  return std::max(sum / jobs_, longest);
}

}  // namespace ordinal::experiments

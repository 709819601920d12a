#include "experiments/process/time_left.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

namespace ordinal::experiments {
namespace {

// A cell of this row, with a cost of 1.
ForecastCell of_row(std::size_t row, double cost = 1.0) { return {row, cost}; }

TEST(TimeLeft, OfTheOnlyTrainingIsThatOfItsShareDone) {
  TimeLeft time({{7, of_row(0, 5.0)}}, 1);
  EXPECT_FALSE(time.left(3.0)) << "nothing is known";
  time.start(7, 3.0);
  time.advance(7, 0.25);
  EXPECT_DOUBLE_EQ(*time.left(5.0), 6.0);
  time.advance(7, 0.5);
  EXPECT_DOUBLE_EQ(*time.left(5.0), 2.0);
}

TEST(TimeLeft, OfARowWithoutAFinishedCellIsThatOfItsCost) {
  TimeLeft time({{0, of_row(0, 1.0)}, {1, of_row(1, 3.0)}, {2, of_row(0, 1.0)}}, 1);
  time.start(0, 0.0);
  time.finish(0, 10.0);
  EXPECT_DOUBLE_EQ(*time.left(10.0), 40.0);
}

TEST(TimeLeft, OfACellIsTheMeanOfItsRow) {
  TimeLeft time({{0, of_row(0)}, {1, of_row(1)}, {2, of_row(0)}, {3, of_row(1)}}, 1);
  time.start(0, 0.0);
  time.finish(0, 10.0);
  time.start(1, 10.0);
  time.finish(1, 40.0);
  EXPECT_DOUBLE_EQ(*time.left(40.0), 40.0);
  EXPECT_DOUBLE_EQ(*time.left(42.5), 37.5) << "it counts down between estimates";
  EXPECT_DOUBLE_EQ(*time.left(100.0), 0.0);
}

TEST(TimeLeft, OfSeveralJobsIsThatOfTheLongestCellAtLeast) {
  TimeLeft time({{0, of_row(0)}, {1, of_row(1)}, {2, of_row(0)}, {3, of_row(1)}}, 2);
  for (const std::size_t cell : {0U, 1U}) time.start(cell, 0.0);
  time.finish(0, 4.0);
  time.start(2, 4.0);
  time.finish(1, 20.0);
  EXPECT_DOUBLE_EQ(*time.left(20.0), 20.0);
}

TEST(TimeLeft, IsWithoutWhatAnotherProcessFinished) {
  TimeLeft time({{0, of_row(0)}, {1, of_row(1)}, {2, of_row(0)}}, 1);
  time.start(0, 0.0);
  time.leave_out(1);
  time.finish(0, 10.0);
  EXPECT_DOUBLE_EQ(*time.left(10.0), 10.0);
  EXPECT_DOUBLE_EQ(*time.left(12.0), 8.0) << "each row that is left has a finished cell";
  time.leave_out(2);
  EXPECT_DOUBLE_EQ(*time.left(12.0), 8.0) << "until the next cell is finished";
}

TEST(TimeLeft, IsCorrectedByAFifthAtMost) {
  TimeLeft time({{0, of_row(0)}, {1, of_row(0)}, {2, of_row(0)}}, 1);
  time.start(0, 0.0);
  time.finish(0, 10.0);
  EXPECT_DOUBLE_EQ(*time.left(10.0), 20.0);
  time.start(1, 10.0);
  time.finish(1, 12.0);
  EXPECT_DOUBLE_EQ(*time.left(12.0), 14.4) << "18 were expected, the mean says 6";
}

// Six rows whose cells take between 3 and 60 seconds, none as long as its cost says; each varies by a third, and in the middle another
// program takes half of the machine. Two jobs take the cells in their order.
struct Simulation {
  static constexpr std::size_t rows = 6;
  static constexpr std::size_t seeds = 10;
  static constexpr std::size_t jobs = 2;

  struct Estimate {
    double now = 0.0;
    double left = 0.0;
    bool is_settled = false;  // each row has a finished cell
  };

  double seconds(std::size_t cell) const {
    const double of_row[rows] = {3.0, 60.0, 8.0, 20.0, 20.5, 35.0};
    const double noise = std::sin(12.9898 * static_cast<double>(cell)) / 3.0;
    const bool is_slow = cell > 20 && cell < 40;
    return of_row[cell % rows] * (1.0 + noise) * (is_slow ? 2.0 : 1.0);
  }

  Simulation() {
    std::map<std::size_t, ForecastCell> cells;
    for (std::size_t cell = 0; cell < rows * seeds; ++cell) cells[cell] = of_row(cell % rows);
    TimeLeft time(cells, jobs);
    double free[jobs] = {};                            // when each job ends its cell
    std::vector<std::pair<double, std::size_t>> ends;  // of cells that run
    for (std::size_t next = 0, finished = 0; finished < cells.size();) {
      if (next < cells.size() && ends.size() < jobs) {
        double& begin = *std::min_element(free, free + jobs);
        time.start(next, begin);
        begin += seconds(next);
        ends.emplace_back(begin, next++);
        continue;
      }
      const auto first = std::ranges::min_element(ends);
      end = first->first;
      time.finish(first->second, end);
      ends.erase(first);
      ++finished;
      estimates.push_back({end, *time.left(end), finished > rows});
    }
  }

  std::vector<Estimate> estimates;
  double end = 0.0;
};

TEST(TimeLeft, NeverJumpsByMoreThanAFifthAfterTheFirstSeedOfUnevenCells) {
  const Simulation run;
  for (std::size_t i = 1; i < run.estimates.size(); ++i) {
    const auto& [before, left_before, was_settled] = run.estimates[i - 1];
    const auto& [now, left, is_settled] = run.estimates[i];
    const double expected = std::max(left_before - (now - before), 1.0);
    if (!was_settled) continue;
    EXPECT_LE(std::abs(left - expected), 0.2001 * expected) << i;
  }
}

TEST(TimeLeft, IsRightByAQuarterAfterTheFirstSeedOfUnevenCells) {
  const Simulation run;
  for (const auto& [now, left, is_settled] : run.estimates) {
    if (!is_settled || now > 0.9 * run.end) continue;
    EXPECT_NEAR(now + left, run.end, 0.25 * run.end) << now;
  }
}

}  // namespace
}  // namespace ordinal::experiments

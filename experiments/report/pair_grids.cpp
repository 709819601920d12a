// All comparisons of ranked rows, which are decided together.
#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "experiments/report/grid.h"

namespace ordinal::experiments {
namespace {

/// "alibi", "rope", "0.358 (0.310 to 0.413)", "10 of 10", "0.002"; the row that is ahead in more seeds comes first.
std::vector<GridCell> pair_line(Comparison pair, std::string row, std::string other) {
  if (pair.behind > pair.ahead) {
    pair = pair.turned();
    std::swap(row, other);
  }
  const Index level = pair.n() - pair.ahead - pair.behind;
  const bool has_interval = std::isfinite(pair.interval.low);
  return {
      {row},
      {other},
      {format_value(pair.median()) +
       (has_interval
            ? fmt::format(" ({} to {})", format_value(pair.interval.low), format_value(pair.interval.high))
            : "")},
      {fmt::format("{} of {}{}", pair.ahead, pair.n(), level > 0 ? fmt::format(" ({} level)", level) : "")},
      {fmt::format("{:.2g}{}", pair.p(), pair.decision == Decision::undecided ? " (undecided)" : "")}};
}

}  // namespace

std::vector<Grid> pair_grids(const ExperimentResult& result) {
  const std::vector<RowInfo> rows = rows_of(result);
  const Index last = result.lengths.back();
  std::vector<Grid> grids;
  for (const Ranking& ranking : rankings_of(result)) {
    if (ranking.pairs.empty()) continue;
    Grid& grid = grids.emplace_back(
        Grid{.title = fmt::format("{}, pairs at length {}", ranking.metric.title(last > result.train_length),
                                  length_heading(last, result.train_length)),
             .names = 2,
             .headings = {"row", "ahead of", "by", "in seeds", "p"}});
    for (const auto& [row, other, by] : ranking.pairs)
      grid.lines.push_back(pair_line(by, rows[row].label, rows[other].label));
  }
  return grids;
}

}  // namespace ordinal::experiments

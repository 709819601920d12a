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
  const Family family(result);
  const std::vector<RowInfo> rows = rows_of(result);
  const Index last = result.lengths.back();
  std::vector<Grid> grids;
  for (const MetricSpec& metric : headlines(result.metrics)) {
    Grid grid{.title = fmt::format("{}, pairs at length {}", metric.title(last > result.train_length),
                                   length_heading(last, result.train_length)),
              .names = 2,
              .headings = {"row", "ahead of", "by", "in seeds", "p"}};
    const std::vector<std::size_t> ranked = ranked_rows(column_of(result, metric, last), metric);
    for (std::size_t i = 0; i < ranked.size(); ++i)
      for (std::size_t j = i + 1; j < ranked.size(); ++j)
        grid.lines.push_back(pair_line(family.better(metric.id, ranked[i], ranked[j]), rows[ranked[i]].label,
                                       rows[ranked[j]].label));
    if (!grid.lines.empty()) grids.push_back(std::move(grid));
  }
  return grids;
}

}  // namespace ordinal::experiments

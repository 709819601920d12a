// The longest length taken apart: under each condition, for the causes of a loss, and by the distance of the source.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "experiments/report/grid.h"

namespace ordinal::experiments {
namespace {

// A column for each condition at the longest length at which it is tested, and at the training length for those that are tested there, if
// several are.
Grid condition_grid(const ExperimentResult& result, const MetricSpec& metric) {
  std::set<std::pair<Index, std::size_t>> shown;  // length, index of the condition
  for (std::size_t c = 0; c < result.conditions.size(); ++c) {
    const std::vector<Index> lengths = lengths_under(result, result.conditions[c]);
    if (std::ranges::count(lengths, result.train_length) > 0) shown.emplace(result.train_length, c);
    shown.emplace(lengths.back(), c);
  }
  const auto is_first = [&](const auto& one) { return one.first == result.train_length; };
  if (std::ranges::count_if(shown, is_first) == 1 && result.train_length < result.lengths.back())
    std::erase_if(shown, is_first);
  Grid grid = grid_of_rows(result, fmt::format("{} under each condition", metric.title()));
  for (const auto& [length, c] : shown) {
    const std::vector<GridCell> cells = score_column(result, metric, length, result.conditions[c]);
    const bool has_scores = std::ranges::any_of(cells, [](const GridCell& cell) { return cell.text != "–"; });
    if (has_scores) grid.add_column(fmt::format("{}, {}", length, result.conditions[c]), cells);
  }
  return grid;
}

}  // namespace

std::vector<Grid> condition_grids(const ExperimentResult& result) {
  if (result.conditions.size() < 2) return {};
  std::vector<Grid> grids;
  for (const MetricSpec& metric : headlines(result.metrics)) grids.push_back(condition_grid(result, metric));
  return grids;
}

std::vector<Grid> band_grids(const ExperimentResult& result) {
  const Index last = result.lengths.back();
  std::vector<Grid> grids;
  for (const MetricSpec& metric : headlines(result.metrics)) {
    Grid grid =
        grid_of_rows(result, fmt::format("{} at length {}, by the distance of the source{}",
                                         metric.title(last > result.train_length),
                                         length_heading(last, result.train_length), under_condition(result)));
    for (const MetricSpec& band : result.metrics)
      if (band.band_of == metric.id)
        grid.add_column(band.band, score_column(result, band, last, result.conditions.front()));
    if (grid.headings.size() > grid.names) grids.push_back(std::move(grid));
  }
  return grids;
}

}  // namespace ordinal::experiments

// The causes of a loss at long lengths, as conditions under which the same models are tested.
#include <fmt/format.h>

#include <algorithm>

#include "experiments/report/grid.h"

namespace ordinal::experiments {
namespace {

using Conditions = std::vector<std::string>;

// parse_part would reject texts that the report accepts.
bool is_shifted(const std::string& condition) {
  return condition.substr(0, condition.find('(')) == "shifted";
}

/// The scores of each row; under several conditions "0.910 (0.850 to 0.970 over offsets)".
std::vector<GridCell> over_offsets(const ExperimentResult& result, const MetricSpec& metric, Index length,
                                   const Conditions& conditions) {
  std::vector<GridCell> cells = score_column(result, metric, length, conditions.front());
  const std::vector<RowInfo> rows = rows_of(result);
  for (std::size_t r = 0; r < rows.size() && conditions.size() > 1; ++r) {
    std::vector<double> means;
    for (const std::string& condition : conditions) {
      const Group group = at(result, rows[r].label, length, condition, metric);
      if (group.has_number()) means.push_back(group.summary.mean);
    }
    if (means.size() < conditions.size()) continue;  // the first cell says why
    const Summary all = summarize(means);
    cells[r].text = fmt::format("{} ({} to {} over offsets)", format_value(all.mean),
                                format_value(all.lowest), format_value(all.highest));
    if (!learning_of(result, rows[r].label).most()) cells[r].text = "(" + cells[r].text + ")";
  }
  return cells;
}

Grid condition_grid(const ExperimentResult& result, const MetricSpec& metric) {
  Grid grid = grid_of_rows(result, fmt::format("{} under each condition", metric.title()));
  const auto add = [&](Index length, const std::string& heading, const Conditions& conditions) {
    const std::vector<GridCell> cells = over_offsets(result, metric, length, conditions);
    const bool has_scores = std::ranges::any_of(cells, [](const GridCell& cell) { return cell.text != "–"; });
    if (has_scores) grid.add_column(fmt::format("{}, {}", length, heading), cells);
  };
  const Index last = result.lengths.back();
  const bool has_first =
      std::ranges::count(result.lengths, result.train_length) > 0 && result.train_length < last;
  const Index first = has_first ? result.train_length : last;
  Conditions others;
  Conditions shifted;
  for (const std::string& condition : result.conditions) {
    const bool is_first =
        is_shifted(condition) && std::ranges::count(lengths_under(result, condition), first) > 0;
    (is_first ? shifted : others).push_back(condition);
  }
  if (!shifted.empty()) {
    if (has_first && !others.empty()) add(first, others.front(), {others.front()});
    add(first, shifted.size() == 1 ? shifted.front() : "shifted", shifted);
  }
  for (const std::string& condition : others)
    add(lengths_under(result, condition).back(), condition, {condition});
  return grid;
}

}  // namespace

std::vector<Grid> condition_grids(const ExperimentResult& result) {
  if (result.conditions.size() < 2) return {};
  std::vector<Grid> grids;
  for (const MetricSpec& metric : headlines(result.metrics)) grids.push_back(condition_grid(result, metric));
  return grids;
}

}  // namespace ordinal::experiments

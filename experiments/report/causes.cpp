#include "experiments/report/causes.h"

#include <fmt/format.h>

#include <algorithm>

namespace ordinal::experiments {
namespace {

// parse_part would reject texts that the report accepts.
bool is_shifted(const std::string& condition) {
  return condition.substr(0, condition.find('(')) == "shifted";
}

/// The groups of each row under several conditions: "0.910 (0.850 to 0.970 over offsets)".
std::vector<GridCell> over_offsets(const std::vector<std::vector<GridCell>>& cells,
                                   const std::vector<Column>& columns) {
  std::vector<GridCell> line = cells.front();
  for (std::size_t row = 0; row < line.size() && cells.size() > 1; ++row) {
    std::vector<double> means;
    for (const Column& column : columns)
      if (column[row].has_number()) means.push_back(column[row].summary.mean);
    if (means.size() < columns.size()) continue;  // the first cell says why
    const Summary all = summarize(means);
    line[row].text = fmt::format("{} ({} to {} over offsets)", format_value(all.mean),
                                 format_value(all.lowest), format_value(all.highest));
    if (!columns.front()[row].learning.most()) line[row].text = "(" + line[row].text + ")";
  }
  return line;
}

class ConditionGrid {
 public:
  ConditionGrid(const ExperimentResult& result, const MetricSpec& metric)
      : result_(result),
        metric_(metric),
        grid_(grid_of_rows(result, fmt::format("{} under each condition", metric.title()))) {}

  void add(Index length, const std::string& heading, const std::vector<std::string>& conditions) {
    std::vector<Column> columns;
    std::vector<std::vector<GridCell>> cells;
    for (const std::string& condition : conditions) {
      const std::vector<Column> all = columns_of(result_, metric_, result_.lengths, condition);
      const auto at =
          static_cast<std::size_t>(std::ranges::find(result_.lengths, length) - result_.lengths.begin());
      columns.push_back(all[at]);
      cells.push_back(score_column(result_, all, at, metric_, condition));
    }
    const bool has_scores = std::ranges::any_of(columns, [](const Column& column) {
      return std::ranges::any_of(column,
                                 [](const Group& group) { return group.summary.n + group.failed > 0; });
    });
    if (has_scores) grid_.add_column(fmt::format("{}, {}", length, heading), over_offsets(cells, columns));
  }

  Grid grid() const { return grid_; }

 private:
  const ExperimentResult& result_;
  const MetricSpec& metric_;
  Grid grid_;
};

Grid condition_grid(const ExperimentResult& result, const MetricSpec& metric) {
  std::vector<std::string> others = conditions_of(result);
  std::vector<std::string> shifted;
  std::ranges::copy_if(others, std::back_inserter(shifted), is_shifted);
  std::erase_if(others, is_shifted);
  const std::string heading = shifted.size() == 1 ? shifted.front() : "shifted";
  const Index last = result.lengths.back();
  const bool has_first =
      std::ranges::count(result.lengths, result.train_length) > 0 && result.train_length < last;
  const Index first = has_first ? result.train_length : last;
  ConditionGrid grid(result, metric);
  if (!shifted.empty()) {
    if (has_first && !others.empty()) grid.add(first, others.front(), {others.front()});
    grid.add(first, heading, shifted);
  }
  for (const std::string& condition : others) grid.add(last, condition, {condition});
  return grid.grid();
}

}  // namespace

std::vector<Grid> condition_grids(const ExperimentResult& result) {
  if (conditions_of(result).size() < 2 || result.lengths.empty()) return {};
  std::vector<Grid> grids;
  for (const MetricSpec& metric : headlines(result.metrics)) grids.push_back(condition_grid(result, metric));
  return grids;
}

}  // namespace ordinal::experiments

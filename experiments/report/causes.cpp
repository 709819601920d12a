#include "experiments/report/causes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ordinal::experiments {
namespace {

// The conditions with this name, whatever their options. parse_part would reject texts that the report accepts.
std::vector<std::string> conditions_called(const ExperimentResult& result, const std::string& name) {
  std::vector<std::string> all = result.conditions;
  std::erase_if(all, [&](const std::string& text) { return text.substr(0, text.find('(')) != name; });
  return all;
}

}  // namespace

Grid causes_grid(const ExperimentResult& result) {
  const auto shifted = conditions_called(result, "shifted");
  const auto window = conditions_called(result, "window");
  const Index first = result.train_length;
  const Index last = result.lengths.back();
  if (shifted.empty() || window.empty() || first >= last || std::ranges::count(result.lengths, first) == 0)
    return {};
  const MetricSpec& metric = result.metrics.front();
  Grid grid{.title = fmt::format("{} lost from {} to {} (negative: gained)", metric.title(), first, last),
            .headings = {"row", "the whole loss", "unseen positions", "attention to more keys"}};
  for (const RowInfo& row : rows_of(result)) {
    // Larger is worse; NaN where the row is not ranked.
    const auto loss = [&](Index length, const std::string& condition) {
      const Group group = at(result, row.label, length, condition, metric);
      const double mean = group.is_ranked() ? group.summary.mean : not_a_number;
      return metric.lower_is_better() ? mean : -mean;
    };
    const double then = loss(first, trained_condition);
    const double now = loss(last, trained_condition);
    double positions = 0.0;
    for (const std::string& condition : shifted)
      positions += (loss(first, condition) - then) / static_cast<double>(shifted.size());
    const double attention = now - loss(last, window.front());
    if (std::isnan(now - then + attention + positions)) continue;
    grid.rows.push_back(row.label);
    grid.lines.push_back(
        {{row.label}, {format_value(now - then)}, {format_value(positions)}, {format_value(attention)}});
  }
  return grid;
}

}  // namespace ordinal::experiments

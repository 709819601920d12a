#include "experiments/report/causes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ordinal::experiments {
namespace {

// Under each condition with this name, whatever its options. parse_part would reject texts that the report accepts.
std::vector<Comparison> compare_under(const ExperimentResult& result, const std::string& name) {
  std::vector<Comparison> all;
  for (const std::string& condition : result.conditions) {
    if (condition.substr(0, condition.find('(')) == name) all.push_back(compare(result, "", condition));
  }
  return all;
}

// The headline metric by row and column: larger is worse; NaN where it is not ranked.
double loss_at(const Comparison& comparison, std::size_t row, std::size_t column) {
  const ComparisonRow& one = comparison.rows[row];
  const double mean = one.is_ranked(column) ? one.mean(column) : not_a_number;
  return comparison.metric.lower_is_better ? mean : -mean;
}

// "0.380", or for several values "0.380 (0.310 to 0.450)".
std::string mean_text(const std::vector<double>& values) {
  const auto [low, high] = std::ranges::minmax(values);
  const std::string mean = format_value(summarize(values).mean);
  return low == high ? mean : fmt::format("{} ({} to {})", mean, format_value(low), format_value(high));
}

}  // namespace

Grid causes_grid(const ExperimentResult& result) {
  const std::vector<Comparison> shifted = compare_under(result, "shifted");
  const std::vector<Comparison> window = compare_under(result, "window");
  const auto base = std::ranges::find(result.lengths, result.train_length) - result.lengths.begin();
  const auto first = static_cast<std::size_t>(base);
  const std::size_t last = result.lengths.size() - 1;
  if (shifted.empty() || window.empty() || first >= last) return {};
  Grid grid{.title = fmt::format("{} lost from {} to {} (negative: gained)", result.metrics.front().name,
                                 result.train_length, result.lengths.back()),
            .headings = {"row", "the whole loss", "unseen positions", "attention to more keys"}};
  const Comparison trained = compare(result, "", trained_condition);
  for (std::size_t r = 0; r < trained.rows.size(); ++r) {
    const double then = loss_at(trained, r, first);
    const double now = loss_at(trained, r, last);
    std::vector<double> costs;
    for (const Comparison& one : shifted) costs.push_back(loss_at(one, r, first) - then);
    const double attention = now - loss_at(window.front(), r, last);
    if (std::isnan(now - then + attention + summarize(costs).mean)) continue;
    const std::string& row = trained.rows[r].label;
    grid.rows.push_back(row);
    grid.lines.push_back({{row}, {format_value(now - then)}, {mean_text(costs)}, {format_value(attention)}});
  }
  return grid;
}

}  // namespace ordinal::experiments

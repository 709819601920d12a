// Turns cells into lines: averages within bins, then over seeds.
#include "experiments/report/plots.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "experiments/report/grid.h"

namespace ordinal::experiments {
namespace {

const char* const band_note = "lines: mean over seeds; bands: 95 % interval of the mean";
constexpr std::size_t most_bands = 7;  // more bands would overlap

/// bin -> mean (x, y) of the points in it, for one seed.
struct Bin {
  double x = 0.0;
  double y = 0.0;
  double count = 0.0;
  void add(double at, double value) {
    x += at;
    y += value;
    count += 1.0;
  }
};
using Curve = std::map<Index, Bin>;

/// Mean over seeds of binned curves, bin by bin; a bin that only some seeds have is the mean of those.
Series over_seeds(const std::string& name, const std::vector<Curve>& curves) {
  struct Collected {
    double x = 0.0;
    std::vector<double> values;
  };
  std::map<Index, Collected> bins;
  for (const Curve& curve : curves) {
    for (const auto& [key, bin] : curve) {
      bins[key].x = bin.x / bin.count;
      bins[key].values.push_back(bin.y / bin.count);
    }
  }
  Series series;
  series.name = name;
  for (const auto& [key, bin] : bins) {
    const Summary summary = summarize(bin.values, Range::positive);
    series.x.push_back(bin.x);
    series.y.push_back(summary.mean);
    if (std::ssize(curves) < fewest_for_intervals) continue;
    const bool has_interval = std::isfinite(summary.low);
    series.low.push_back(has_interval ? summary.low : summary.mean);
    series.high.push_back(has_interval ? summary.high : summary.mean);
  }
  return series;
}

std::string subtitle(const ExperimentResult& result) {
  const Comparison comparison = compare(result);
  if (comparison.seeds < fewest_for_intervals)
    return comparison.seeds == 1 ? "one seed" : "dots: two seeds, too few for intervals";
  return comparison.rows.size() <= most_bands ? band_note
                                              : "lines: mean over seeds; the table has their spread";
}

// Removes the bands if there would be too many.
Chart with_readable_bands(Chart chart) {
  if (chart.series.size() <= most_bands) return chart;
  for (Series& series : chart.series) {
    series.low.clear();
    series.high.clear();
  }
  return chart;
}

/// Lengths to label: all of them, or as many as stay a tenth of the axis apart.
std::vector<Tick> length_ticks(const ExperimentResult& result) {
  std::vector<Tick> ticks;
  if (result.lengths.empty()) return ticks;
  const double first = static_cast<double>(result.lengths.front());
  const double gap = std::pow(static_cast<double>(result.lengths.back()) / first, 0.099);
  for (const Index length : result.lengths) {
    const double x = static_cast<double>(length);
    if (!ticks.empty() && x < ticks.back().at * gap) continue;
    ticks.push_back({x, length_heading(length, result.train_length)});
  }
  return ticks;
}

/// "learned", or "learned (fails past 64)" where it has no score.
std::string name_with_failure(const ComparisonRow& row, const std::vector<Index>& lengths) {
  if (!row.learned()) return row.label + " (not learned)";
  for (std::size_t i = 0; i < row.entries.size(); ++i) {
    const Entry& entry = row.entries[i];
    if (entry.has_number() || (entry.failed == 0 && entry.diverged == 0)) continue;
    const char* what = entry.diverged > 0 ? "diverges" : "fails";
    return i == 0 ? fmt::format("{} ({})", row.label, what)
                  : fmt::format("{} ({} past {})", row.label, what, lengths[i - 1]);
  }
  return row.label;
}

/// A band is as wide as the interval of the mean; under three seeds there is none, but a dot for each.
Series length_series(const ComparisonRow& row, const Comparison& comparison) {
  Series series;
  series.name = name_with_failure(row, comparison.lengths);
  for (std::size_t i = 0; i < row.entries.size(); ++i) {
    const Entry& entry = row.entries[i];
    if (!entry.has_number()) continue;
    const Summary& s = entry.summary;
    series.x.push_back(static_cast<double>(comparison.lengths[i]));
    series.y.push_back(s.mean);
    if (comparison.seeds < fewest_for_intervals) {
      for (const double value : entry.values) series.dots.emplace_back(series.x.back(), value);
      continue;
    }
    const bool has_interval = std::isfinite(s.low);
    series.low.push_back(has_interval ? s.low : s.mean);
    series.high.push_back(has_interval ? s.high : s.mean);
  }
  return series;
}

Series reference_series(const Reference& reference, const std::string& metric) {
  Series series;
  series.name = reference.label;
  for (const LengthScore& score : reference.scores) {
    const Measurement* measured = score.find(metric);
    if (measured == nullptr) continue;
    series.x.push_back(static_cast<double>(score.length));
    series.y.push_back(measured->value);
  }
  return series;
}

/// In the order of the table, so that a row has the same colour in every chart.
std::vector<std::string> rows_run(const ExperimentResult& result) {
  std::vector<std::string> labels;
  for (const ComparisonRow& row : compare(result).rows) labels.push_back(row.label);
  return labels;
}

std::optional<double> training_mark(const ExperimentResult& result) {
  if (result.train_length == 0) return std::nullopt;
  return static_cast<double>(result.train_length);
}

/// A baseline far from all lines would compress the scale: it is drawn only if it is within half their height
/// of them.
bool is_near(const Series& reference, const Chart& chart) {
  const auto all_of = [](const std::vector<Series>& several) {
    std::vector<double> values;
    for (const Series& series : several) values.insert(values.end(), series.y.begin(), series.y.end());
    return values;
  };
  const std::vector<double> values = all_of(chart.series);
  if (values.empty() || reference.y.empty()) return false;
  const auto [low, high] = std::ranges::minmax(values);
  const auto [lowest, highest] = std::ranges::minmax(reference.y);
  const double margin = 0.5 * (high - low);
  return lowest >= low - margin && highest <= high + margin;
}

/// Positions start at 1; twelve bins per octave, so each of the first positions is a separate bin.
Curve bin_positions(const std::vector<double>& losses) {
  Curve curve;
  for (std::size_t i = 0; i < losses.size(); ++i) {
    if (!std::isfinite(losses[i])) continue;
    const double position = static_cast<double>(i + 1);
    curve[static_cast<Index>(std::floor(12.0 * std::log2(position)))].add(position, losses[i]);
  }
  return curve;
}

Curve bin_steps(const std::vector<std::pair<Index, double>>& points, Index last_step) {
  Curve curve;
  const Index width = std::max<Index>(1, (last_step + 119) / 120);
  for (const auto& [step, loss] : points) {
    if (std::isfinite(loss)) curve[step / width].add(static_cast<double>(step), loss);
  }
  return curve;
}

/// Longest length at which some cell of the row has losses by position; 0 if none.
Index longest_scored(const ExperimentResult& result, const std::string& row, const std::string& condition) {
  Index longest = 0;
  for (const CellResult& cell : result.cells) {
    if (cell.row != row) continue;
    for (const LengthScore& score : cell.scores) {
      if (score.condition != condition || score.failed || score.by_position.empty()) continue;
      longest = std::max(longest, score.length);
    }
  }
  return longest;
}

Series position_series(const ExperimentResult& result, const std::string& row) {
  const std::string condition = conditions_of(result).front();
  const Index longest = longest_scored(result, row, condition);
  std::vector<Curve> curves;
  for (const CellResult& cell : result.cells) {
    if (cell.row != row) continue;
    for (const LengthScore& score : cell.scores) {
      if (score.length != longest || score.condition != condition || score.failed) continue;
      curves.push_back(bin_positions(score.by_position));
    }
  }
  const bool full = result.lengths.empty() || longest == result.lengths.back();
  return over_seeds(full ? row : fmt::format("{} (at {})", row, longest), curves);
}

}  // namespace

Chart length_curves(const ExperimentResult& result) {
  const Comparison comparison = compare(result);
  Chart chart;
  chart.title = comparison.metric.name + under_condition(result);
  chart.subtitle = subtitle(result);
  chart.x_label = "length";
  chart.y_label = fmt::format("{} ({} is better)", comparison.metric.name,
                              comparison.metric.lower_is_better ? "lower" : "higher");
  chart.log2_x = true;
  chart.points = true;
  chart.x_ticks = length_ticks(result);
  chart.training_length = training_mark(result);
  if (comparison.metric.is_fraction()) {
    chart.y_low = 0.0;
    chart.y_high = 1.02;
  }
  for (const ComparisonRow& row : comparison.rows) chart.series.push_back(length_series(row, comparison));
  for (const Reference& reference : result.references) {
    const Series line = reference_series(reference, comparison.metric.id);
    if (is_near(line, chart)) chart.references.push_back(line);
  }
  return with_readable_bands(std::move(chart));
}

Chart position_curves(const ExperimentResult& result) {
  Chart chart;
  chart.title = result.lengths.empty() ? "loss by position"
                                       : fmt::format("loss by position at length {}{}", result.lengths.back(),
                                                     under_condition(result));
  chart.subtitle = subtitle(result);
  chart.x_label = "position";
  chart.y_label = "loss in bits";
  chart.log2_x = true;
  chart.training_length = training_mark(result);
  for (const std::string& row : rows_run(result)) chart.series.push_back(position_series(result, row));
  return with_readable_bands(std::move(chart));
}

Chart training_curves(const ExperimentResult& result) {
  Chart chart;
  chart.title = "training loss";
  chart.subtitle = subtitle(result);
  chart.x_label = "step";
  chart.y_label = "bits per token";
  Index last_step = 1;
  for (const CellResult& cell : result.cells) {
    for (const auto& point : cell.training_curve) last_step = std::max(last_step, point.first);
  }
  for (const std::string& row : rows_run(result)) {
    std::vector<Curve> curves;
    for (const CellResult& cell : result.cells) {
      if (cell.row == row) curves.push_back(bin_steps(cell.training_curve, last_step));
    }
    chart.series.push_back(over_seeds(row, curves));
  }
  return with_readable_bands(std::move(chart));
}

}  // namespace ordinal::experiments

// Turns cells into lines: averages within bins, then over seeds.
#include "experiments/report/plots.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "experiments/report/grid.h"
#include "experiments/settings/rows.h"
#include "framework/core/text.h"

namespace ordinal::experiments {
namespace {

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

/// The finite points (x, y), grouped by bin_of(x).
Curve binned(const auto& points, const auto& bin_of) {
  Curve curve;
  for (const auto& [x, y] : points)
    if (std::isfinite(y)) curve[bin_of(x)].add(static_cast<double>(x), y);
  return curve;
}

/// Mean over seeds of binned curves, bin by bin; a bin that only some seeds have averages those seeds.
Series over_seeds(const std::vector<Curve>& curves) {
  std::map<Index, std::pair<double, std::vector<double>>> bins;
  for (const Curve& curve : curves) {
    for (const auto& [key, bin] : curve) {
      bins[key].first = bin.x / bin.count;
      bins[key].second.push_back(bin.y / bin.count);
    }
  }
  Series series;
  for (const auto& [key, bin] : bins) add_mean(series, bin.first, summarize(bin.second, Range::positive));
  return series;
}

std::string subtitle(Index seeds, std::size_t lines) {
  if (seeds == 1) return "one seed";
  if (seeds < fewest_for_intervals) return "dots: two seeds, too few for intervals";
  return lines <= most_bands ? "lines: mean over seeds; bands: 95 % interval of the mean"
                             : "lines: mean over seeds; the table has their spread";
}

/// Labels the y axis with the metric, and shows the whole range if it is a fraction.
void set_y(Chart& chart, const MetricInfo& metric) {
  chart.y_label = fmt::format("{} ({} is better)", metric.name, metric.lower_is_better ? "lower" : "higher");
  if (!metric.is_fraction()) return;
  chart.y_low = 0.0;
  chart.y_high = 1.02;
}

/// A chart with series_of(row) for each row.
Chart rows_chart(const ExperimentResult& result, const Comparison& comparison, const auto& series_of) {
  Chart chart;
  chart.subtitle = subtitle(comparison.seeds, comparison.rows.size());
  if (result.train_length != 0) chart.training_length = static_cast<double>(result.train_length);
  for (const ComparisonRow& row : comparison.rows) {
    chart.series.push_back(series_of(row));
    chart.series.back().name = row.label;
  }
  return chart;
}

/// Lengths to label: all of them, or as many as fit a tenth of the axis apart.
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

Series length_series(const ComparisonRow& row, const std::vector<Index>& lengths) {
  Series series;
  series.note = failure(row, lengths);
  for (std::size_t i = 0; i < row.entries.size(); ++i) {
    const Entry& entry = row.entries[i];
    if (!entry.has_number()) continue;
    add_mean(series, static_cast<double>(lengths[i]), entry.summary);
    series.values.push_back(entry.values);
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

/// The headline metric of each seed at the longest length, whether it learned the task or not.
std::vector<double> scores_of_all_seeds(const ExperimentResult& result, const std::string& row) {
  std::vector<double> scores;
  for (const CellResult& cell : result.cells) {
    if (cell.row != row) continue;
    const LengthScore* score = score_at(cell.scores, result.lengths.back(), conditions_of(result).front());
    const Measurement* measured = score == nullptr ? nullptr : score->find(result.metrics.front().id);
    if (measured != nullptr && std::isfinite(measured->value)) scores.push_back(measured->value);
  }
  return scores;
}

/// Twelve bins per octave, so each of the first positions is a separate bin.
Index octave_bin(Index position) {
  return static_cast<Index>(std::floor(12.0 * std::log2(static_cast<double>(position))));
}

/// Loss by position at the longest length for which some cell of the row has it.
Series position_series(const ExperimentResult& result, const std::string& row) {
  const std::string condition = conditions_of(result).front();
  Index longest = 0;
  std::vector<Curve> curves;
  for (const CellResult& cell : result.cells) {
    for (const LengthScore& score : cell.scores) {
      if (cell.row != row || score.condition != condition || score.failed || score.by_position.empty())
        continue;
      if (score.length > longest) curves.clear();
      longest = std::max(longest, score.length);
      if (score.length < longest) continue;
      std::vector<std::pair<Index, double>> points;  // positions start at 1
      for (const double loss : score.by_position) points.emplace_back(std::ssize(points) + 1, loss);
      curves.push_back(binned(points, octave_bin));
    }
  }
  Series series = over_seeds(curves);
  if (!result.lengths.empty() && longest != result.lengths.back())
    series.note = fmt::format("at {}", longest);
  return series;
}

}  // namespace

Chart length_curves(const ExperimentResult& result, const std::string& metric, const std::string& condition) {
  const Comparison comparison = compare(result, metric, condition);
  const bool is_main = condition.empty() || condition == conditions_of(result).front();
  Chart chart = rows_chart(result, comparison,
                           [&](const ComparisonRow& row) { return length_series(row, comparison.lengths); });
  chart.title = comparison.metric.name + (is_main ? under_condition(result) : ", under " + condition);
  chart.x_label = "length";
  set_y(chart, comparison.metric);
  chart.log2_x = true;
  chart.points = true;
  chart.x_ticks = length_ticks(result);
  for (const Reference& reference : result.references)
    if (is_main) chart.references.push_back(reference_series(reference, comparison.metric.id));
  return chart;
}

Chart position_curves(const ExperimentResult& result) {
  Chart chart = rows_chart(result, compare(result),
                           [&](const ComparisonRow& row) { return position_series(result, row.label); });
  chart.title = result.lengths.empty() ? "loss by position"
                                       : fmt::format("loss by position at length {}{}", result.lengths.back(),
                                                     under_condition(result));
  chart.x_label = "position";
  chart.y_label = "loss in bits";
  chart.log2_x = true;
  return chart;
}

Chart training_curves(const ExperimentResult& result) {
  Index last_step = 1;
  for (const CellResult& cell : result.cells) {
    for (const auto& point : cell.training_curve) last_step = std::max(last_step, point.first);
  }
  const Index width = (last_step + 119) / 120;
  Chart chart = rows_chart(result, compare(result), [&](const ComparisonRow& row) {
    std::vector<Curve> curves;
    for (const CellResult& cell : result.cells) {
      if (cell.row != row.label) continue;
      curves.push_back(binned(cell.training_curve, [&](Index step) { return step / width; }));
    }
    return over_seeds(curves);
  });
  chart.title = "training loss";
  chart.training_length.reset();
  chart.x_label = "step";
  chart.y_label = "bits per token";
  return chart;
}

Chart score_curves(const ExperimentResult& result) {
  Chart chart;
  if (result.lengths.empty()) return chart;
  const MetricInfo& metric = result.metrics.front();
  std::vector<std::string> names;  // of the lines, in the order of their rows
  std::map<std::string, std::map<double, std::vector<double>>> lines;
  for (const RowInfo& row : result.rows) {
    std::vector<std::string> others;
    double step = 0.0;
    for (const auto& [key, value] : row.factors) {
      if (key == "train.score_step")
        step = parse_real(value).value();
      else
        others.push_back(label_of(key, value));
    }
    const std::vector<double> scores = scores_of_all_seeds(result, row.label);
    if (step == 0.0 || scores.empty()) continue;
    if (!lines.contains(joined(others))) names.push_back(joined(others));
    lines[joined(others)][step] = scores;
  }
  for (const std::string& name : names) {
    chart.series.emplace_back().name = name;
    for (const auto& [step, scores] : lines[name]) {
      add_mean(chart.series.back(), step, summarize(scores, metric.range()));
      chart.series.back().values.push_back(scores);
    }
  }
  chart.title = fmt::format("{} at length {} over training{}", metric.name, result.lengths.back(),
                            under_condition(result));
  chart.subtitle = subtitle(std::ssize(seeds_of(result)), names.size());
  chart.x_label = "step";
  set_y(chart, metric);
  chart.points = true;
  return chart;
}

std::string failure(const ComparisonRow& row, const std::vector<Index>& lengths) {
  if (!row.learned()) return "not learned";
  for (std::size_t i = 0; i < row.entries.size(); ++i) {
    const Entry& entry = row.entries[i];
    if (entry.has_number() || (entry.failed == 0 && entry.diverged == 0)) continue;
    const char* what = entry.diverged > 0 ? "diverges" : "fails";
    return i == 0 ? what : fmt::format("{} past {}", what, lengths[i - 1]);
  }
  return "";
}

void add_mean(Series& series, double x, const Summary& summary) {
  series.x.push_back(x);
  series.y.push_back(summary.mean);
  const bool has_interval = std::isfinite(summary.low);
  series.low.push_back(has_interval ? summary.low : summary.mean);
  series.high.push_back(has_interval ? summary.high : summary.mean);
}

}  // namespace ordinal::experiments

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
  for (const auto& [key, bin] : bins) add_mean(series, bin.first, summarize(bin.second));
  return series;
}

std::string subtitle(Index seeds, std::size_t lines) {
  if (seeds == 1) return "one seed";
  return lines <= most_bands ? "lines: mean over seeds; bands: from the lowest to the highest seed"
                             : "lines: mean over seeds; the table has their spread";
}

/// Labels the y axis with the metric, and shows the whole range if it is a fraction.
void set_y(Chart& chart, const MetricSpec& metric) {
  chart.y_label = metric.title();
  chart.subtitle = (metric.lower_is_better() ? "lower is better; " : "higher is better; ") + chart.subtitle;
  if (!metric.is_fraction()) return;
  chart.y_low = 0.0;
  chart.y_high = 1.02;
}

/// A chart with series_of(r, label) for each row r.
Chart rows_chart(const ExperimentResult& result, const std::vector<Column>& columns, const auto& series_of) {
  Chart chart;
  const std::vector<RowInfo> rows = rows_of(result);
  chart.subtitle = subtitle(most_seeds(columns), rows.size());
  if (result.train_length != 0) chart.training_length = static_cast<double>(result.train_length);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    chart.series.push_back(series_of(r, rows[r].label));
    chart.series.back().name = rows[r].label;
  }
  return chart;
}

/// "diverges …", "not learned", or "fails past 64" for a row without scores past 64.
std::string failure(const std::vector<Column>& columns, std::size_t row, const std::vector<Index>& lengths) {
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const Group& group = columns[c][row];
    if (!group.learning.most()) return "not learned";
    if (group.has_number() || (group.failed == 0 && group.diverged == 0)) continue;
    const char* what = group.diverged > 0 ? "diverges" : "fails";
    return c == 0 ? what : fmt::format("{} past {}", what, lengths[c - 1]);
  }
  return "";
}

Series length_series(const std::vector<Column>& columns, std::size_t row, const std::vector<Index>& lengths) {
  Series series;
  series.note = failure(columns, row, lengths);
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const Group& group = columns[c][row];
    if (!group.has_number()) continue;
    add_mean(series, static_cast<double>(lengths[c]), group.summary);
  }
  return series;
}

Series reference_series(const std::string& name, const std::vector<Score>& scores) {
  Series series;
  series.name = name;
  for (const Score& score : scores) {
    if (score.tokens < fewest_targets) continue;
    series.x.push_back(static_cast<double>(score.length));
    series.y.push_back(score.value);
  }
  return series;
}

/// The headline metric of each seed at the longest length, whether it learned the task or not.
std::vector<double> scores_of_all_seeds(const ExperimentResult& result, const std::string& row) {
  std::vector<double> scores;
  for (const CellResult& cell : result.cells) {
    if (cell.row != row) continue;
    const Score* score = score_at(cell.scores, result.metrics.front().id, result.lengths.back(),
                                  conditions_of(result).front());
    if (score != nullptr && std::isfinite(score->value)) scores.push_back(score->value);
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
    for (const PositionLosses& losses : cell.by_position) {
      if (cell.row != row || losses.condition != condition) continue;
      if (losses.length > longest) curves.clear();
      longest = std::max(longest, losses.length);
      if (losses.length < longest) continue;
      std::vector<std::pair<Index, double>> points;  // positions start at 1
      for (const double loss : losses.bits) points.emplace_back(std::ssize(points) + 1, loss);
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
  const MetricSpec& of = metric.empty() ? result.metrics.front() : metric_of(result, metric);
  const std::vector<Column> columns = columns_of(result, of, result.lengths, condition);
  const bool is_main = condition.empty() || condition == conditions_of(result).front();
  Chart chart = rows_chart(result, columns, [&](std::size_t row, const std::string& /*label*/) {
    return length_series(columns, row, result.lengths);
  });
  chart.title = of.title() + (is_main ? under_condition(result) : ", under " + condition);
  chart.x_label = "length";
  set_y(chart, of);
  chart.log2_x = true;
  chart.points = true;
  for (const Index length : result.lengths)
    chart.x_ticks.push_back({static_cast<double>(length), length_heading(length, result.train_length)});
  if (!is_main) return chart;
  for (const auto& [name, scores] : baselines(result, of.id))
    chart.references.push_back(reference_series(name, scores));
  return chart;
}

Chart position_curves(const ExperimentResult& result) {
  Chart chart = rows_chart(
      result, columns_of(result, result.metrics.front(), result.lengths),
      [&](std::size_t /*row*/, const std::string& label) { return position_series(result, label); });
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
  const auto series_of = [&](std::size_t /*row*/, const std::string& label) {
    std::vector<Curve> curves;
    for (const CellResult& cell : result.cells) {
      if (cell.row != label) continue;
      curves.push_back(binned(cell.training_curve, [&](Index step) { return step / width; }));
    }
    return over_seeds(curves);
  };
  Chart chart = rows_chart(result, columns_of(result, result.metrics.front(), result.lengths), series_of);
  chart.title = "training loss";
  chart.training_length.reset();
  chart.x_label = "step";
  chart.y_label = "bits per token";
  return chart;
}

Chart score_curves(const ExperimentResult& result) {
  Chart chart;
  if (result.lengths.empty()) return chart;
  const MetricSpec& metric = result.metrics.front();
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
    for (const auto& [step, scores] : lines[name]) add_mean(chart.series.back(), step, summarize(scores));
  }
  chart.title = fmt::format("{} at length {} over training{}", metric.title(), result.lengths.back(),
                            under_condition(result));
  chart.subtitle = subtitle(std::ssize(seeds_of(result)), names.size());
  chart.x_label = "step";
  set_y(chart, metric);
  chart.points = true;
  return chart;
}

void add_mean(Series& series, double x, const Summary& summary) {
  series.x.push_back(x);
  series.y.push_back(summary.mean);
  series.low.push_back(summary.lowest);
  series.high.push_back(summary.highest);
}

}  // namespace ordinal::experiments

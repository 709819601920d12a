// Turns cells into lines: averages within bins, then over seeds.
#include "experiments/report/plots.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "experiments/report/grid.h"
#include "experiments/settings/rows.h"
#include "experiments/tasks/reader.h"
#include "framework/core/text.h"

namespace ordinal::experiments {
namespace {

/// Adds a point to a line, with the range of its seeds.
void add_mean(Series& series, double x, const Summary& summary) {
  series.x.push_back(x);
  series.y.push_back(summary.mean);
  series.low.push_back(summary.lowest);
  series.high.push_back(summary.highest);
}

std::string subtitle(Index seeds, std::size_t lines) {
  if (seeds == 1) return "one seed";
  return lines <= most_bands ? "lines: mean over seeds; bands: from the lowest to the highest seed"
                             : "lines: mean over seeds; the table has their spread";
}

/// Names the y axis after the metric, without the targets that count, and shows the whole range if it is a fraction.
void set_y(Chart& chart, const MetricSpec& metric) {
  chart.y_label = metric.name;
  chart.subtitle = (metric.lower_is_better() ? "lower is better; " : "higher is better; ") + chart.subtitle;
  if (!metric.is_fraction()) return;
  chart.y_low = 0.0;
  chart.y_high = 1.02;
}

/// A chart with series_of(label) for each row.
Chart rows_chart(const ExperimentResult& result, const auto& series_of) {
  Chart chart;
  chart.subtitle = subtitle(most_seeds(result), result.rows.size());
  if (result.train_length != 0) chart.training_length = static_cast<double>(result.train_length);
  for (const RowInfo& row : result.rows) {
    chart.series.push_back(series_of(row.label));
    chart.series.back().name = row.label;
  }
  return chart;
}

/// The scores of a row or a reader. Noted is "not learned", or where it first has no number: "diverges", "fails past 64".
Series length_series(const std::vector<Index>& lengths, const auto& group_at) {
  Series series;
  Index before = 0;
  for (const Index length : lengths) {
    const Group group = group_at(length);
    if (group.has_number()) {
      add_mean(series, static_cast<double>(length), group.summary);
    } else if (series.note.empty() && group.failed + group.diverged > 0) {
      series.note = group.diverged > 0 ? "diverges" : "fails";
      if (before > 0) series.note += fmt::format(" past {}", before);
    }
    if (!group.learning.most()) series.note = "not learned";
    before = length;
  }
  return series;
}

/// The best readers that ignore where answers stand, and the oracle.
std::vector<std::string> drawn_readers(const ExperimentResult& result, const MetricSpec& metric) {
  std::vector<std::string> drawn;
  for (const Score* best : best_readers(result, metric)) drawn.push_back(best->row);
  std::ranges::copy_if(readers_of(result, metric), std::back_inserter(drawn),
                       [](const std::string& name) { return !knows_at_most(name, Knows::sources); });
  return drawn;
}

/// Loss by position at the longest length for which some cell of the row has it.
Series position_series(const ExperimentResult& result, const std::string& row) {
  Index longest = 0;
  std::vector<Points> curves;
  for (const CellResult& cell : result.cells) {
    for (const PositionLosses& losses : cell.by_position) {
      if (cell.row != row || losses.condition != result.conditions.front()) continue;
      if (losses.length > longest) curves.clear();
      longest = std::max(longest, losses.length);
      if (losses.length < longest) continue;
      Points& points = curves.emplace_back();  // positions start at 1
      for (const double loss : losses.bits) points.emplace_back(std::ssize(points) + 1, loss);
    }
  }
  Series series = over_seeds(curves, [](Index position) { return octave_bin(position, 12.0); });
  if (longest != result.lengths.back()) series.note = fmt::format("at {}", longest);
  return series;
}

}  // namespace

Series over_seeds(const std::vector<Points>& curves, const std::function<Index(Index)>& bin_of) {
  std::map<Index, double> places;
  std::map<Index, std::vector<double>> means;  // of each seed
  for (const Points& curve : curves) {
    std::map<Index, std::pair<std::vector<double>, std::vector<double>>> bins;
    for (const auto& [x, y] : curve) {
      if (!std::isfinite(y)) continue;
      bins[bin_of(x)].first.push_back(static_cast<double>(x));
      bins[bin_of(x)].second.push_back(y);
    }
    for (const auto& [bin, points] : bins) {
      places[bin] = summarize(points.first).mean;
      means[bin].push_back(summarize(points.second).mean);
    }
  }
  Series series;
  for (const auto& [bin, values] : means) add_mean(series, places[bin], summarize(values));
  return series;
}

Index octave_bin(Index position, double per_octave) {
  return static_cast<Index>(std::floor(per_octave * std::log2(static_cast<double>(position))));
}

Chart length_curves(const ExperimentResult& result, const MetricSpec& metric, const std::string& condition) {
  const bool is_main = condition == result.conditions.front();
  Chart chart = rows_chart(result, [&](const std::string& row) {
    return length_series(lengths_under(result, condition),
                         [&](Index length) { return at(result, row, length, condition, metric); });
  });
  chart.title = metric.title() + (is_main ? under_condition(result) : ", under " + condition);
  chart.x_label = "length";
  set_y(chart, metric);
  chart.log2_x = true;
  chart.points = true;
  for (const Index length : result.lengths)
    chart.x_ticks.push_back({static_cast<double>(length), length_heading(length, result.train_length)});
  if (!is_main) return chart;
  for (const std::string& reader : drawn_readers(result, metric)) {
    chart.references.push_back(length_series(
        result.lengths, [&](Index length) { return reader_at(result, reader, length, metric); }));
    chart.references.back().name = reader;
  }
  return chart;
}

Chart position_curves(const ExperimentResult& result) {
  Chart chart = rows_chart(result, [&](const std::string& row) { return position_series(result, row); });
  chart.title =
      fmt::format("loss by position at length {}{}", result.lengths.back(), under_condition(result));
  chart.x_label = "position";
  chart.y_label = "loss in bits";
  chart.log2_x = true;
  for (Index at = 1; at < Index{1} << 40; at *= 2)  // more than any sequence has
    chart.x_ticks.push_back({static_cast<double>(at), std::to_string(at)});
  return chart;
}

Chart training_curves(const ExperimentResult& result) {
  Index last_step = 1;
  for (const CellResult& cell : result.cells)
    for (const auto& point : cell.training_curve) last_step = std::max(last_step, point.first);
  const Index width = (last_step + 119) / 120;
  Chart chart = rows_chart(result, [&](const std::string& row) {
    std::vector<Points> curves;
    for (const CellResult& cell : result.cells)
      if (cell.row == row) curves.push_back(cell.training_curve);
    return over_seeds(curves, [&](Index step) { return step / width; });
  });
  chart.title = "training loss";
  chart.training_length.reset();
  chart.x_label = "step";
  chart.y_label = "bits per token";
  return chart;
}

}  // namespace ordinal::experiments

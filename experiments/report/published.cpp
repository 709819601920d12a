#include "experiments/report/published.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ordinal::experiments {
namespace {

Grid grid_of(const ExperimentResult& result, const PublishedTable& table) {
  const Comparison comparison = compare(result, table.metric);
  Grid grid{.title = table.source + ": " + comparison.metric.name, .headings = {"row"}};
  grid.note = table.note;
  for (const PublishedTable::Row& row : table.rows) grid.lines.push_back({{row.label}});
  grid.lines.push_back({{.text = "Kendall's τ", .reference = true}});
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    std::vector<GridCell> theirs;
    std::vector<GridCell> ours;
    std::vector<double> published;  // of the rows that have both
    std::vector<double> means;
    for (const PublishedTable::Row& row : table.rows) {
      const auto scores = std::ranges::find(comparison.rows, row.label, &ComparisonRow::label);
      const Summary here = scores == comparison.rows.end()
                               ? Summary{}
                               : summary_over(*scores, table.columns[c].at, comparison.metric);
      theirs.push_back({format_value(row.values[c])});
      ours.push_back({format_mean(here)});
      if (std::isnan(row.values[c]) || here.n == 0) continue;
      published.push_back(row.values[c]);
      means.push_back(here.mean);
    }
    const double tau = kendall_tau(published, means);
    theirs.push_back({.text = "", .reference = true});
    ours.push_back({.text = std::isnan(tau) ? "–" : fmt::format("{:.2f}", tau), .reference = true});
    grid.add_column(table.columns[c].name + ", theirs", theirs);
    grid.add_column("ours", ours);
  }
  return grid;
}

}  // namespace

std::vector<std::size_t> columns_past(const std::vector<Index>& lengths, Index train_length) {
  std::vector<std::size_t> columns;
  for (std::size_t c = 0; c < lengths.size(); ++c) {
    if (lengths[c] > train_length) columns.push_back(c);
  }
  return columns;
}

Summary summary_over(const ComparisonRow& row, const std::vector<std::size_t>& columns,
                     const MetricInfo& metric) {
  std::map<std::uint64_t, std::vector<double>> scores;  // by seed
  for (const std::size_t column : columns) {
    const Entry& entry = row.entries[column];
    for (std::size_t i = 0; i < entry.seeds.size(); ++i) scores[entry.seeds[i]].push_back(entry.values[i]);
  }
  std::vector<double> means;
  for (const auto& [seed, values] : scores)
    if (values.size() == columns.size()) means.push_back(summarize(values).mean);
  return summarize(means, metric.range());
}

std::string half_length(const ComparisonRow& row, const std::vector<Index>& lengths) {
  if (!(row.mean(0) >= 0.5)) return "–";
  for (std::size_t c = 1; c < lengths.size(); ++c) {
    if (std::isnan(row.mean(c))) return "–";
    if (row.mean(c) >= 0.5) continue;
    const double share = (row.mean(c - 1) - 0.5) / (row.mean(c - 1) - row.mean(c));
    const auto from = static_cast<double>(lengths[c - 1]);
    return fmt::format("{:.0f}", from + share * (static_cast<double>(lengths[c]) - from));
  }
  return fmt::format("> {}", lengths.back());
}

std::vector<Grid> unseen_grids(const ExperimentResult& result) {
  const Comparison comparison = compare(result);
  const MetricInfo& metric = comparison.metric;
  const std::vector<std::size_t> columns = columns_past(result.lengths, result.train_length);
  if (result.train_length == 0 || columns.size() < 2) return {};
  Grid grid =
      grid_of_rows(result, comparison,
                   fmt::format("Over all tested lengths past {}: {}", result.train_length, metric.name));
  std::vector<GridCell> means;
  std::vector<GridCell> halves;
  for (const ComparisonRow& row : comparison.rows) {
    means.push_back({format_mean(summary_over(row, columns, metric))});
    halves.push_back({half_length(row, result.lengths)});
  }
  grid.add_column("mean", means);
  if (!metric.lower_is_better) grid.add_column("under one half from length", halves);
  return {grid};
}

std::vector<Grid> published_grids(const ExperimentResult& result) {
  std::vector<Grid> grids;
  for (const PublishedTable& table : result.published) {
    ExperimentResult counted = result;
    if (!table.only_learned) counted.gate.reset();
    grids.push_back(grid_of(counted, table));
  }
  return grids;
}

}  // namespace ordinal::experiments

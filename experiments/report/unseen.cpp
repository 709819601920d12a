#include "experiments/report/unseen.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ordinal::experiments {
std::vector<std::size_t> columns_past(const std::vector<Index>& lengths, Index train_length) {
  std::vector<std::size_t> columns;
  for (std::size_t c = 0; c < lengths.size(); ++c) {
    if (lengths[c] > train_length) columns.push_back(c);
  }
  return columns;
}

double mean_over(const ComparisonRow& row, std::uint64_t seed, const std::vector<std::size_t>& columns) {
  double sum = 0.0;
  for (const std::size_t column : columns) {
    const Entry& entry = row.entries[column];
    const auto at = std::ranges::find(entry.seeds, seed);
    if (at == entry.seeds.end()) return not_a_number;
    sum += entry.values[static_cast<std::size_t>(at - entry.seeds.begin())];
  }
  return sum / static_cast<double>(columns.size());
}

Summary unseen_summary(const Comparison& comparison, std::size_t row, Index train_length) {
  const ComparisonRow& scores = comparison.rows[row];
  const std::vector<std::size_t> columns = columns_past(comparison.lengths, train_length);
  std::vector<double> means;
  for (const std::uint64_t seed : scores.entries[columns.front()].seeds) {
    const double mean = mean_over(scores, seed, columns);
    if (!std::isnan(mean)) means.push_back(mean);
  }
  return summarize(means, comparison.metric.range());
}

std::string half_length(const Comparison& comparison, std::size_t row) {
  const std::vector<Entry>& entries = comparison.rows[row].entries;
  const auto mean = [&](std::size_t c) {
    return entries[c].has_number() ? entries[c].summary.mean : not_a_number;
  };
  if (!(mean(0) >= 0.5)) return "";
  for (std::size_t c = 1; c < entries.size(); ++c) {
    if (std::isnan(mean(c))) return "";
    if (mean(c) >= 0.5) continue;
    const double share = (mean(c - 1) - 0.5) / (mean(c - 1) - mean(c));
    const auto from = static_cast<double>(comparison.lengths[c - 1]);
    return fmt::format("{:.0f}", from + share * (static_cast<double>(comparison.lengths[c]) - from));
  }
  return fmt::format("> {}", comparison.lengths.back());
}

std::vector<Grid> unseen_grids(const ExperimentResult& result) {
  const Comparison comparison = compare(result);
  if (result.train_length == 0 || columns_past(result.lengths, result.train_length).size() < 2) return {};
  const bool accuracy = !comparison.metric.lower_is_better;
  Grid grid = grid_of_rows(
      result, comparison,
      fmt::format("Over all tested lengths past {}: {}", result.train_length, comparison.metric.name));
  grid.headings.emplace_back("mean");
  if (accuracy) grid.headings.emplace_back("under one half from length");
  for (std::size_t r = 0; r < comparison.rows.size(); ++r) {
    const Summary summary = unseen_summary(comparison, r, result.train_length);
    grid.lines[r].push_back({summary.n > 0 ? format_mean(summary) : "–"});
    const std::string half = half_length(comparison, r);
    if (accuracy) grid.lines[r].push_back({half.empty() ? "–" : half});
  }
  return {grid};
}

}  // namespace ordinal::experiments

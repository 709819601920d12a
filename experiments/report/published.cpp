#include "experiments/report/published.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "experiments/report/unseen.h"
#include "experiments/results/rank_correlation.h"

namespace ordinal::experiments {
namespace {

// The scores of the seeds of a row at a length of the table.
Summary summary_of(const ExperimentResult& result, const Comparison& comparison, const std::string& label,
                   const PublishedTable::Column& column) {
  std::vector<double> scores;
  const auto row = std::ranges::find(comparison.rows, label, &ComparisonRow::label);
  for (const std::uint64_t seed : seeds_of(result)) {
    const double score = row == comparison.rows.end() ? not_a_number : mean_over(*row, seed, column.at);
    if (!std::isnan(score)) scores.push_back(score);
  }
  return scores.empty() ? Summary{} : summarize(scores, comparison.metric.range());
}

Grid grid_of(const ExperimentResult& result, const PublishedTable& table) {
  Grid grid{fmt::format("{}: {}", table.source, metric_of(result, table.metric).name), 1, {"row"}, {}};
  const Comparison comparison = compare(result, table.metric);
  for (const PublishedTable::Row& row : table.rows) grid.lines.push_back({{row.label}});
  std::vector<GridCell> last = {{.text = "Kendall's τ", .reference = true}};
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    grid.headings.push_back(table.columns[c].name + ", theirs");
    grid.headings.emplace_back("ours");
    std::vector<double> theirs;  // of the rows that have both
    std::vector<double> means;
    for (std::size_t r = 0; r < table.rows.size(); ++r) {
      const double published = table.rows[r].values[c];
      const Summary here = summary_of(result, comparison, table.rows[r].label, table.columns[c]);
      grid.lines[r].push_back({format_value(published)});
      grid.lines[r].push_back({here.n == 0 ? "–" : format_mean(here)});
      if (std::isnan(published) || here.n == 0) continue;
      theirs.push_back(published);
      means.push_back(here.mean);
    }
    const double tau = kendall_tau(theirs, means);
    last.push_back({.text = "", .reference = true});
    last.push_back({.text = std::isnan(tau) ? "–" : fmt::format("{:.2f}", tau), .reference = true});
  }
  grid.lines.push_back(std::move(last));
  grid.note = table.note;
  return grid;
}

}  // namespace

std::vector<Grid> published_grids(const ExperimentResult& result) {
  std::vector<Grid> grids;
  for (const PublishedTable& table : result.published) {
    if (table.only_learned) {
      grids.push_back(grid_of(result, table));
      continue;
    }
    ExperimentResult of_all_seeds = result;
    of_all_seeds.gate.reset();
    grids.push_back(grid_of(of_all_seeds, table));
  }
  return grids;
}

}  // namespace ordinal::experiments

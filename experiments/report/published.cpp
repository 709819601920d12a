#include "experiments/report/published.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "experiments/report/rank_correlation.h"
#include "experiments/report/unseen.h"

namespace ordinal::experiments {
namespace {

// The score of each seed of a row at a length of the table; NaN where it has none.
SeedScores scores_of(const ExperimentResult& result, const Comparison& comparison, const std::string& label,
                     const PublishedTable::Column& column) {
  SeedScores scores;
  const auto row = std::ranges::find(comparison.rows, label, &ComparisonRow::label);
  for (const std::uint64_t seed : seeds_of(result)) {
    scores.push_back(row == comparison.rows.end() ? not_a_number : mean_over(*row, seed, column.at));
  }
  return scores;
}

std::string ours(const SeedScores& scores) {
  std::vector<double> values;
  std::ranges::copy_if(scores, std::back_inserter(values), [](double score) { return !std::isnan(score); });
  return values.empty() ? "–" : format_mean(summarize(values));
}

std::string tau_text(const Summary& tau) {
  if (std::isnan(tau.mean)) return "–";
  const std::string interval =
      std::isnan(tau.low) ? "" : fmt::format(" ({:.2f} to {:.2f})", tau.low, tau.high);
  return fmt::format("{:.2f}{}", tau.mean, interval);
}

Grid grid_of(const ExperimentResult& result, const PublishedTable& table) {
  Grid grid{fmt::format("{}: {}", table.source, metric_of(result, table.metric).name), 1, {"row"}, {}};
  const Comparison comparison = compare(result, table.metric);
  for (const PublishedTable::Row& row : table.rows) grid.lines.push_back({{row.label}});
  std::vector<GridCell> last = {{.text = "Kendall's τ (95 % interval)", .reference = true}};
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    grid.headings.push_back(table.columns[c].name + ", theirs");
    grid.headings.emplace_back("ours");
    std::vector<double> published;
    std::vector<SeedScores> measured;
    for (std::size_t r = 0; r < table.rows.size(); ++r) {
      published.push_back(table.rows[r].values[c]);
      measured.push_back(scores_of(result, comparison, table.rows[r].label, table.columns[c]));
      grid.lines[r].push_back({format_value(published.back())});
      grid.lines[r].push_back({ours(measured.back())});
    }
    last.push_back({.text = "", .reference = true});
    last.push_back({.text = tau_text(tau_over_seeds(published, measured)), .reference = true});
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

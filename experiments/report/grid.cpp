#include "experiments/report/grid.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "experiments/settings/keys.h"

namespace ordinal::experiments {
namespace {

using Keys = std::vector<std::string>;

int decimals(double value) {
  const double size = std::abs(value);
  if (size < 9.9995) return 3;
  if (size < 99.995) return 2;
  return size < 999.95 ? 1 : 0;
}

/// The keys that make rows; none if rows are made of different ones, or all written out.
Keys shared_factors(const ExperimentResult& result) {
  Keys shared;
  for (const RowInfo& row : result.rows) {
    Keys keys;
    for (const auto& [key, value] : row.factors) keys.push_back(key);
    if (shared.empty()) shared = keys;
    if (!keys.empty() && keys != shared) return {};
  }
  return shared;
}

/// "encoding" for positional.encoding; the whole key where that would name two columns.
Keys factor_headings(const Keys& keys) {
  Keys headings;
  for (const std::string& key : keys) {
    const bool unique = std::ranges::count(keys, name_in_section(key), name_in_section) == 1;
    headings.push_back(unique ? name_in_section(key) : key);
  }
  return headings;
}

/// Only the columns that name the rows of `comparison`.
Grid names_of(const ExperimentResult& result, const Comparison& comparison, std::string title) {
  const Keys factors = factor_headings(shared_factors(result));
  Grid grid{std::move(title), 1, factors.empty() ? Keys{"row"} : factors, {}};
  grid.names = grid.headings.size();
  for (const ComparisonRow& row : comparison.rows) {
    std::vector<GridCell> line;
    const bool written = factors.empty() || row.factors.empty();  // then its name stands in the first column
    if (written) line.push_back({row.label});
    for (std::size_t f = written ? 1 : 0; f < factors.size(); ++f)
      line.push_back({written ? "" : row.factors[f].second});
    grid.lines.push_back(std::move(line));
  }
  return grid;
}

/// A note stands beside the name of its row, or in a column of its own where several columns name the row.
void add_notes(Grid& grid, const Comparison& comparison) {
  if (std::ranges::all_of(comparison.rows, [](const auto& row) { return row.note.empty(); })) return;
  const bool own_column = grid.names > 1;
  if (own_column) {
    grid.headings.emplace_back("note");
    ++grid.names;
  }
  for (std::size_t r = 0; r < comparison.rows.size(); ++r) {
    if (own_column) grid.lines[r].push_back({""});
    grid.lines[r].back().note = comparison.rows[r].note;
  }
}

/// True for the best mean of a column, and for those that cannot be told from it.
bool is_best(const Comparison& comparison, std::size_t row, std::size_t column, bool lower_is_better) {
  const Index best = best_row(comparison, static_cast<Index>(column), lower_is_better);
  const Entry& entry = comparison.rows[row].entries[column];
  if (best < 0 || !entry.has_number()) return false;
  if (static_cast<std::size_t>(best) == row) return true;
  const PairedComparison pairs =
      compare_entries(entry, comparison.rows[static_cast<std::size_t>(best)].entries[column]);
  return pairs.n >= 2 && pairs.decision == Decision::undecided;
}

GridCell score_cell(const ExperimentResult& result, const Comparison& comparison, std::size_t row,
                    std::size_t column) {
  const Entry& entry = comparison.rows[row].entries[column];
  GridCell cell{cell_text(entry, comparison.seeds)};
  cell.why = entry.why;
  cell.missing = !entry.has_number();
  cell.best = is_best(comparison, row, column, result.metric.lower_is_better);
  if (!cell.missing && entry.summary.n > 1) {
    cell.interval =
        fmt::format("{} to {}", format_value(entry.summary.low), format_value(entry.summary.high));
  }
  return cell;
}

/// Values of the factor-th factor, in the order of their first row.
Keys values_of(const Comparison& comparison, std::size_t factor) {
  Keys values;
  for (const ComparisonRow& row : comparison.rows) {
    if (row.factors.empty()) continue;  // a written row
    const std::string& value = row.factors[factor].second;
    if (std::ranges::find(values, value) == values.end()) values.push_back(value);
  }
  return values;
}

}  // namespace

std::string format_value(double value) {
  if (!std::isfinite(value)) return std::isnan(value) ? "–" : (value > 0.0 ? "∞" : "−∞");
  if (std::abs(value) >= 1e6) return fmt::format("{:.1e}", value);
  return fmt::format("{:.{}f}", value, decimals(value));
}

std::string format_mean(const Summary& summary) {
  if (summary.n < 2) return format_value(summary.mean);
  if (std::abs(summary.mean) >= 1e6) return fmt::format("{:.1e} ± {:.1e}", summary.mean, summary.sd);
  return fmt::format("{} ± {:.{}f}", format_value(summary.mean), summary.sd, decimals(summary.mean));
}

std::string group_thousands(Index count) {
  std::string digits = fmt::format("{}", count);
  for (Index at = static_cast<Index>(digits.size()) - 3; at > (count < 0 ? 1 : 0); at -= 3) {
    digits.insert(static_cast<std::size_t>(at), ",");
  }
  return digits;
}

std::string cell_text(const Entry& entry, Index usual_n) {
  if (entry.diverged > 0) return "diverged";
  if (entry.summary.n == 0) return entry.failed > 0 ? "fails" : "–";
  std::string text = format_mean(entry.summary);
  if (entry.summary.n < usual_n) text += fmt::format(" (n = {})", entry.summary.n);
  return text;
}

std::string length_heading(Index length, Index train_length) {
  const std::string multiple = multiple_of(length, train_length);
  return multiple.empty() ? fmt::format("{}", length) : fmt::format("{} ({})", length, multiple);
}

std::string under_condition(const ExperimentResult& result) {
  const std::string condition = conditions_of(result).front();
  return condition == trained_condition ? "" : ", under " + condition;
}

std::string table_caption(const ExperimentResult& result, Scored scored) {
  const Index seeds = compare(result, Scored::all_positions).seeds;
  const std::string spread =
      seeds > 1 ? fmt::format("mean ± standard deviation over {} seeds", seeds) : "one seed, so no spread";
  return fmt::format("{}{} ({} is better){}, {}", result.metric.name,
                     scored == Scored::past_training ? " at positions past the training length only" : "",
                     result.metric.lower_is_better ? "lower" : "higher", under_condition(result), spread);
}

Grid main_grid(const ExperimentResult& result, Scored scored) {
  const Comparison comparison = compare(result, scored);
  Grid grid = names_of(result, comparison, table_caption(result, scored));
  add_notes(grid, comparison);
  grid.headings.emplace_back("parameters");
  for (const Index length : comparison.lengths) {
    grid.headings.push_back(length_heading(length, result.train_length));
  }
  for (std::size_t r = 0; r < comparison.rows.size(); ++r) {
    grid.lines[r].push_back({group_thousands(comparison.rows[r].parameters)});
    for (std::size_t c = 0; c < comparison.lengths.size(); ++c) {
      grid.lines[r].push_back(score_cell(result, comparison, r, c));
    }
  }
  return grid;
}

std::vector<Grid> pivot_grids(const ExperimentResult& result) {
  const Keys names = factor_headings(shared_factors(result));
  if (names.size() != 2) return {};
  const Comparison comparison = compare(result, Scored::all_positions);
  const Keys across = values_of(comparison, 1);
  std::vector<Grid> grids;
  for (std::size_t c = 0; c < comparison.lengths.size(); ++c) {
    Grid grid{fmt::format("Length {}, {} by {}", length_heading(comparison.lengths[c], result.train_length),
                          names[0], names[1]),
              1,
              {names[0]},
              {}};
    for (const std::string& value : across) grid.headings.push_back(fmt::format("{} = {}", names[1], value));
    for (const std::string& down : values_of(comparison, 0)) {
      grid.lines.push_back({{down}});
      grid.lines.back().resize(1 + across.size(), GridCell{.text = "–", .missing = true});
    }
    for (std::size_t r = 0; r < comparison.rows.size(); ++r) {
      const auto& factors = comparison.rows[r].factors;
      if (factors.empty()) continue;  // a written row
      const auto line = std::ranges::find(grid.lines, factors[0].second,
                                          [](const auto& cells) { return cells.front().text; });
      const auto column = 1 + (std::ranges::find(across, factors[1].second) - across.begin());
      (*line)[static_cast<std::size_t>(column)] = score_cell(result, comparison, r, c);
    }
    grids.push_back(std::move(grid));
  }
  return grids;
}

std::vector<Grid> condition_grids(const ExperimentResult& result) {
  const std::vector<std::string> conditions = conditions_of(result);
  if (conditions.size() < 2) return {};
  std::vector<Comparison> comparisons;
  comparisons.reserve(conditions.size());
  for (const std::string& condition : conditions) {
    comparisons.push_back(compare(result, Scored::all_positions, condition));
  }
  std::vector<Grid> grids;
  for (std::size_t c = 0; c < result.lengths.size(); ++c) {
    Grid grid = names_of(result, comparisons.front(),
                         fmt::format("Length {}, under each condition",
                                     length_heading(result.lengths[c], result.train_length)));
    for (std::size_t k = 0; k < comparisons.size(); ++k) {
      grid.headings.push_back(conditions[k]);
      for (std::size_t r = 0; r < grid.lines.size(); ++r) {
        grid.lines[r].push_back(score_cell(result, comparisons[k], r, c));
      }
    }
    grids.push_back(std::move(grid));
  }
  return grids;
}

std::vector<std::string> table_notes(const ExperimentResult& result) {
  std::vector<std::string> notes;
  for (const RowInfo& row : result.rows) {
    if (!row.tuned.empty()) notes.push_back(row.tuned);
  }
  std::set<std::string> seen;
  for (const std::string& condition : conditions_of(result)) {
    const std::string where = condition == conditions_of(result).front() ? "" : " under " + condition;
    for (const ComparisonRow& row : compare(result, Scored::all_positions, condition).rows) {
      for (const Entry& entry : row.entries) {
        if (entry.failed == 0 || !seen.insert(row.label).second) continue;
        notes.push_back(fmt::format("{} fails{}: {}", row.label, where, entry.why));
      }
    }
  }
  return notes;
}

}  // namespace ordinal::experiments

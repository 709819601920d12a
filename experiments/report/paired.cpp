#include "experiments/report/paired.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "experiments/results/csv.h"
#include "framework/core/options.h"

namespace ordinal::experiments {
namespace {

template <typename Value>
std::vector<Value> either(std::vector<Value> first, const std::vector<Value>& second) {
  for (const Value& value : second) {
    if (std::ranges::find(first, value) == first.end()) first.push_back(value);
  }
  return first;
}

bool is_empty(const Entry& entry) {
  return entry.values.empty() && entry.failed + entry.diverged + entry.not_learned == 0;
}

const ComparisonRow& row_of(const Comparison& comparison, const std::string& label) {
  return *std::ranges::find(comparison.rows, label, &ComparisonRow::label);
}

// The seeds of a row, and how many of them learned the task: "2/3"; "–" where there is nothing to say.
std::vector<std::string> seeds_texts(const ExperimentResult& result, const std::string& row) {
  std::vector<std::string> seeds;
  Index known = 0;
  Index learned = 0;
  for (const CellResult& cell : result.cells) {
    if (cell.row != row) continue;
    seeds.push_back(std::to_string(cell.seed));
    const std::optional<bool> one = has_learned(result, cell);
    known += Index{one.has_value()};
    learned += Index{one.value_or(false)};
  }
  return {seeds.empty() ? "–" : joined(seeds), known == 0 ? "–" : fmt::format("{}/{}", learned, known)};
}

// With its sign.
std::string signed_value(double value) { return (value > 0.0 ? "+" : "") + format_effect(value); }

GridCell difference_cell(const PairedComparison& difference) {
  if (difference.n == 0) return {.text = "–"};
  GridCell cell{.text = signed_value(difference.effect)};
  if (std::isnan(difference.low)) return cell;
  cell.note = fmt::format("{} to {}", signed_value(difference.low), signed_value(difference.high));
  cell.interval = cell.note;
  cell.best = difference.decision != Decision::undecided;
  return cell;
}

GridCell score_cell(const Entry& entry, const std::string& text) {
  return {.text = text, .why = entry.why, .missing = !entry.has_number() && !is_empty(entry)};
}

}  // namespace

std::vector<RowPair> paired_rows(const ExperimentResult& first, const ExperimentResult& second) {
  if (first.rows.size() == 1 && second.rows.size() == 1)
    return {{first.rows.front().label, second.rows.front().label}};
  std::vector<RowPair> pairs;
  for (const RowInfo& row : first.rows) {
    if (std::ranges::find(second.rows, row.label, &RowInfo::label) != second.rows.end())
      pairs.push_back({row.label, row.label});
  }
  return pairs;
}

Grid rows_grid(const ExperimentResult& first, const ExperimentResult& second,
               const std::vector<RowPair>& pairs) {
  Grid grid{.title = "Rows, and how many of their seeds learned the task",
            .headings = {"row", "seeds of A", "that learned", "seeds of B", "that learned"}};
  const auto add = [&](const std::string& label, const std::string& of_a, const std::string& of_b) {
    const std::vector<std::string> a = seeds_texts(first, of_a);
    const std::vector<std::string> b = seeds_texts(second, of_b);
    grid.lines.push_back({{label}, {a[0]}, {a[1]}, {b[0]}, {b[1]}});
  };
  for (const RowPair& pair : pairs) add(pair.label(), pair.first, pair.second);
  for (const RowInfo& row : first.rows)
    if (std::ranges::find(pairs, row.label, &RowPair::first) == pairs.end()) add(row.label, row.label, "");
  for (const RowInfo& row : second.rows)
    if (std::ranges::find(pairs, row.label, &RowPair::second) == pairs.end()) add(row.label, "", row.label);
  return grid;
}

namespace {

// One metric under one condition: a line for each pair of rows and each length at which either has a score.
void add_scores(const Comparison& a, const Comparison& b, const std::vector<RowPair>& rows,
                const std::string& condition, PairedTables& tables) {
  const MetricInfo& metric = a.metric;
  Grid grid{.title = fmt::format("{} ({} is better), {}", metric.name,
                                 metric.lower_is_better ? "lower" : "higher", condition),
            .headings = {"row", "length", "A", "B", "B - A", "seeds"},
            .details = {2, 3}};
  for (const RowPair& pair : rows) {
    const ComparisonRow& left = row_of(a, pair.first);
    const ComparisonRow& right = row_of(b, pair.second);
    for (std::size_t i = 0; i < a.lengths.size(); ++i) {
      const Entry& x = left.entries[i];
      const Entry& y = right.entries[i];
      if (is_empty(x) && is_empty(y)) continue;
      const PairedComparison d = compare_entries(y, x, metric);
      grid.lines.push_back({{pair.label()},
                            {std::to_string(a.lengths[i])},
                            score_cell(x, cell_text(left, i, a.seeds)),
                            score_cell(y, cell_text(right, i, b.seeds)),
                            difference_cell(d),
                            {std::to_string(d.n)}});
      tables.csv +=
          csv_line({csv(pair.label())}, a.lengths[i], condition, metric.id, x.summary.n, x.summary.mean,
                   x.summary.sd, y.summary.n, y.summary.mean, y.summary.sd, d.n, d.effect, d.low, d.high);
    }
  }
  if (!grid.lines.empty()) tables.grids.push_back(std::move(grid));
}

}  // namespace

PairedTables paired_tables(const ExperimentResult& first, const ExperimentResult& second,
                           const std::vector<RowPair>& rows) {
  ExperimentResult a = first;
  ExperimentResult b = second;
  a.gate.reset();  // so that no seed is left out
  b.gate.reset();
  a.lengths = either(first.lengths, second.lengths);
  std::ranges::sort(a.lengths);
  b.lengths = a.lengths;
  PairedTables tables{.csv = csv_line({"row", "length", "condition", "metric", "n_a", "mean_a", "sd_a", "n_b",
                                       "mean_b", "sd_b", "pairs", "difference", "low95", "high95"})};
  for (const MetricInfo& metric : first.metrics) {
    for (const std::string& condition : either(conditions_of(first), conditions_of(second))) {
      add_scores(compare(a, metric.id, condition), compare(b, metric.id, condition), rows, condition, tables);
    }
  }
  return tables;
}

}  // namespace ordinal::experiments

#include "experiments/report/grid.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "experiments/settings/keys.h"
#include "experiments/tasks/metric.h"

namespace ordinal::experiments {
namespace {

using Texts = std::vector<std::string>;

void add_new(Texts& texts, const std::string& text) {
  if (std::ranges::find(texts, text) == texts.end()) texts.push_back(text);
}

/// The keys that define the rows, as headings: "encoding" for model.encoding, or the whole key if the short name
/// would name two columns. None if rows use different keys, or are all written out.
Texts factor_headings(const ExperimentResult& result) {
  Texts shared;
  for (const RowInfo& row : result.rows) {
    Texts keys;
    for (const auto& [key, value] : row.factors) keys.push_back(key);
    if (shared.empty()) shared = keys;
    if (!keys.empty() && keys != shared) return {};
  }
  Texts headings;
  for (const std::string& key : shared) {
    const bool unique = std::ranges::count(shared, name_in_section(key), name_in_section) == 1;
    headings.push_back(unique ? name_in_section(key) : key);
  }
  return headings;
}

/// A column with text_of(row) for each row.
std::vector<GridCell> cells_of(const Comparison& comparison, const auto& text_of) {
  std::vector<GridCell> cells;
  for (const ComparisonRow& row : comparison.rows) cells.push_back({text_of(row)});
  return cells;
}

/// A note goes next to the row name, or in a separate column if several columns name the row.
void add_notes(Grid& grid, const Comparison& comparison) {
  if (std::ranges::all_of(comparison.rows, [](const auto& row) { return row.note.empty(); })) return;
  if (grid.names > 1) {
    grid.add_column("note", std::vector<GridCell>(comparison.rows.size()));
    ++grid.names;
  }
  for (std::size_t r = 0; r < comparison.rows.size(); ++r)
    grid.lines[r].back().note = comparison.rows[r].note;
}

/// "4/5 (0.28 to 0.99)"; no interval with fewer than three seeds.
std::string learned_text(const ComparisonRow& row) {
  std::string count = fmt::format("{}/{}", row.learned_cells, row.cells);
  if (row.learned_cells + row.not_learned < fewest_for_intervals) return count;
  const Interval share = row.learned_share();
  return fmt::format("{} ({:.2f} to {:.2f})", count, share.low, share.high);
}

/// Adds a line below the rows for each baseline that has at least one score.
void add_references(Grid& grid, const ExperimentResult& result, const Comparison& comparison,
                    std::size_t before) {
  for (const Reference& reference : result.references) {
    std::vector<GridCell> line(before, GridCell{.text = "", .reference = true});
    line.front().text = reference.label;
    bool has_score = false;
    for (const Index length : comparison.lengths) {
      const LengthScore* score = score_at(reference.scores, length);
      const Measurement* measured = score == nullptr ? nullptr : score->find(comparison.metric.id);
      has_score = has_score || (measured != nullptr && !std::isnan(measured->value));
      line.push_back({.text = measured == nullptr ? "–" : format_value(measured->value), .reference = true});
    }
    if (has_score) grid.lines.push_back(std::move(line));
  }
}

}  // namespace

void Grid::add_column(const std::string& heading, const std::vector<GridCell>& cells) {
  headings.push_back(heading);
  for (std::size_t i = 0; i < cells.size(); ++i) lines[i].push_back(cells[i]);
}

std::string full_text(const GridCell& cell) {
  if (cell.text.empty() || cell.note.empty()) return cell.text + cell.note;
  return fmt::format("{} ({})", cell.text, cell.note);
}

Grid grid_of_rows(const ExperimentResult& result, const Comparison& comparison, const std::string& title) {
  const Texts factors = factor_headings(result);
  Grid grid{.title = title, .headings = factors.empty() ? Texts{"row"} : factors};
  grid.names = grid.headings.size();
  for (const ComparisonRow& row : comparison.rows) {
    std::vector<GridCell> line(grid.names);
    const bool written = factors.empty() || row.factors.empty();  // then its name goes in the first column
    if (written) line.front().text = row.label;
    for (std::size_t f = 0; f < grid.names && !written; ++f) line[f].text = row.factors[f].second;
    line.front().unranked = !row.learned();
    grid.lines.push_back(std::move(line));
    grid.rows.push_back(row.label);
  }
  return grid;
}

int shown_decimals(double value) {
  const double size = std::abs(value);
  if (size < 9.9995) return 3;
  if (size < 99.995) return 2;
  return size < 999.95 ? 1 : 0;
}

std::string format_value(double value) {
  if (!std::isfinite(value)) return std::isnan(value) ? "–" : (value > 0.0 ? "∞" : "−∞");
  if (std::abs(value) >= 1e6) return fmt::format("{:.1e}", value);
  if (std::abs(value) < 0.0005) value = 0.0;  // not -0.000
  return fmt::format("{:.{}f}", value, shown_decimals(value));
}

std::string format_effect(double value) {
  return value != 0.0 && std::abs(value) < 0.01 ? fmt::format("{:.2g}", value) : format_value(value);
}

std::string format_mean(const Summary& summary) {
  if (summary.n < 2) return format_value(summary.mean);
  if (std::abs(summary.mean) >= 1e6) return fmt::format("{:.1e} ± {:.1e}", summary.mean, summary.sd);
  return fmt::format("{} ± {:.{}f}", format_value(summary.mean), summary.sd, shown_decimals(summary.mean));
}

std::string group_thousands(Index count) {
  std::string digits = fmt::format("{}", count);
  for (Index at = static_cast<Index>(digits.size()) - 3; at > (count < 0 ? 1 : 0); at -= 3) {
    digits.insert(static_cast<std::size_t>(at), ",");
  }
  return digits;
}

std::string cell_text(const ComparisonRow& row, std::size_t column, Index usual_n) {
  const Entry& entry = row.entries[column];
  if (entry.diverged > 0) return "diverged";
  const std::string text = format_mean(entry.summary);
  if (entry.summary.n == 0) return entry.failed > 0 ? "fails" : text;
  if (!row.learned()) return fmt::format("({})", text);
  return entry.summary.n < usual_n ? fmt::format("{} (n = {})", text, entry.summary.n) : text;
}

std::string length_heading(Index length, Index train_length) {
  const std::string multiple = multiple_of(length, train_length);
  return multiple.empty() ? fmt::format("{}", length) : fmt::format("{} ({})", length, multiple);
}

std::string under_condition(const ExperimentResult& result) {
  const std::string condition = conditions_of(result).front();
  return condition == trained_condition ? "" : ", under " + condition;
}

std::vector<GridCell> score_column(const Comparison& comparison, std::size_t column) {
  const std::optional<std::size_t> best = best_row(comparison, column);
  const Differences differences(comparison, column, column);
  const auto is_best = [&](std::size_t r) {
    if (r == *best) return true;
    const PairedComparison lead = differences.better(column, *best, r);
    return lead.n >= fewest_for_intervals && lead.decision == Decision::undecided;
  };
  std::vector<GridCell> cells;
  for (std::size_t r = 0; r < comparison.rows.size(); ++r) {
    const ComparisonRow& row = comparison.rows[r];
    const Entry& entry = row.entries[column];
    const Summary& s = entry.summary;
    GridCell cell{.text = cell_text(row, column, comparison.seeds), .why = entry.why};
    cell.missing = !entry.has_number();
    if (!cell.missing && std::isfinite(s.low))
      cell.interval = fmt::format("{} to {}", format_value(s.low), format_value(s.high));
    cell.best = row.is_ranked(column) && comparison.seeds >= fewest_for_intervals && is_best(r);
    cells.push_back(std::move(cell));
  }
  return cells;
}

std::string table_title(const ExperimentResult& result, const Comparison& comparison) {
  const MetricInfo& metric = comparison.metric;
  const bool counts_all = metric.id.ends_with(".past") && !result.lengths.empty() &&
                          result.lengths.front() <= result.train_length;
  return fmt::format(
      "{}{} ({} is better){}, {}", metric.name, counts_all ? ", up to it at all positions" : "",
      metric.lower_is_better ? "lower" : "higher", under_condition(result),
      comparison.seeds > 1 ? fmt::format("mean ± standard deviation over {} seeds", comparison.seeds)
                           : "one seed, so no spread");
}

std::string title_at(const ExperimentResult& result, std::size_t column, const std::string& what) {
  const Index length = result.lengths[column];
  const std::string& name = result.metrics.front().name;
  return fmt::format("Length {}, {}: {}", length_heading(length, result.train_length), what,
                     length <= result.train_length ? name_within_training(name) : name);
}

Grid main_grid(const ExperimentResult& result, const MetricInfo& metric) {
  const Comparison comparison = compare(result, metric.id);
  Grid grid = grid_of_rows(result, comparison, table_title(result, comparison));
  add_notes(grid, comparison);
  grid.details = {grid.names};
  grid.add_column("parameters", cells_of(comparison, [](const ComparisonRow& row) {
                    return group_thousands(row.parameters);
                  }));
  if (result.gate) grid.add_column("seeds that learned", cells_of(comparison, learned_text));
  const std::size_t before = grid.headings.size();
  for (std::size_t c = 0; c < comparison.lengths.size(); ++c)
    grid.add_column(length_heading(comparison.lengths[c], result.train_length), score_column(comparison, c));
  add_references(grid, result, comparison, before);
  return grid;
}

std::vector<Grid> pivot_grids(const ExperimentResult& result) {
  const Texts names = factor_headings(result);
  if (names.size() != 2) return {};
  const Comparison comparison = compare(result);
  Texts down;  // values of both factors, in the order of their first row
  Texts across;
  for (const ComparisonRow& row : comparison.rows) {
    if (row.factors.empty()) continue;  // a written row
    add_new(down, row.factors[0].second);
    add_new(across, row.factors[1].second);
  }
  std::vector<Grid> grids;
  for (std::size_t c = 0; c < comparison.lengths.size(); ++c) {
    Grid grid{.title = title_at(result, c, names[0] + " by " + names[1]), .headings = {names[0]}};
    for (const std::string& value : down) grid.lines.push_back({{value}});
    for (const std::string& value : across) {
      grid.add_column(names[1] + " = " + value,
                      std::vector(down.size(), GridCell{.text = "–", .missing = true}));
    }
    const std::vector<GridCell> scores = score_column(comparison, c);
    for (std::size_t r = 0; r < comparison.rows.size(); ++r) {
      const auto& factors = comparison.rows[r].factors;
      if (factors.empty()) continue;
      const auto line = std::ranges::find(down, factors[0].second) - down.begin();
      const auto column = std::ranges::find(across, factors[1].second) - across.begin() + 1;
      grid.lines[static_cast<std::size_t>(line)][static_cast<std::size_t>(column)] = scores[r];
    }
    grids.push_back(std::move(grid));
  }
  return grids;
}

std::vector<Grid> condition_grids(const ExperimentResult& result) {
  const Texts conditions = conditions_of(result);
  if (conditions.size() < 2) return {};
  const Comparison main = compare(result);
  std::vector<Grid> grids;
  for (std::size_t c = 0; c < result.lengths.size(); ++c)
    grids.push_back(grid_of_rows(result, main, title_at(result, c)));
  for (const std::string& condition : conditions) {
    const Comparison comparison = compare(result, "", condition);
    for (std::size_t c = 0; c < grids.size(); ++c)
      grids[c].add_column(condition, score_column(comparison, c));
  }
  return grids;
}

std::vector<std::string> table_notes(const ExperimentResult& result) {
  Texts notes;
  if (result.gate)
    notes.push_back(fmt::format(
        "Learned: {}. Rows that most seeds did not learn stand in parentheses and are not ranked.",
        result.gate->text));
  for (const RowInfo& row : result.rows) notes.insert(notes.end(), row.notes.begin(), row.notes.end());
  std::set<std::string> seen;
  double error = 0.0;  // under the main condition
  for (const std::string& condition : conditions_of(result)) {
    const bool is_main = condition == conditions_of(result).front();
    for (const ComparisonRow& row : compare(result, "", condition).rows) {
      for (const Entry& entry : row.entries) {
        if (is_main) error = std::max(error, entry.sampling_error);
        if (entry.failed == 0 || !seen.insert(row.label).second) continue;
        notes.push_back(
            fmt::format("{} fails{}: {}", row.label, is_main ? "" : " under " + condition, entry.why));
      }
    }
  }
  if (error > 0.0)
    notes.push_back(fmt::format(
        "The score of one seed has a standard error of at most {:.3f} from the choice of examples.", error));
  return notes;
}

}  // namespace ordinal::experiments

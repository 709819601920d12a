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

using Keys = std::vector<std::string>;

int decimals(double value) {
  const double size = std::abs(value);
  if (size < 9.9995) return 3;
  if (size < 99.995) return 2;
  return size < 999.95 ? 1 : 0;
}

/// The keys that define the rows; none if rows use different keys, or are all written out.
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

/// A note goes next to the row name, or in a separate column if several columns name the row.
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

/// The scores of a column. The best and those not distinguishable from it are bold.
std::vector<GridCell> score_column(const Comparison& comparison, std::size_t column) {
  const Index best = best_row(comparison, column);
  const PairwiseComparisons pairs(comparison, column);
  std::vector<GridCell> cells;
  for (std::size_t r = 0; r < comparison.rows.size(); ++r) {
    const ComparisonRow& row = comparison.rows[r];
    const Entry& entry = row.entries[column];
    GridCell cell{cell_text(row, column, comparison.seeds)};
    cell.why = entry.why;
    cell.missing = !entry.has_number();
    if (!cell.missing && std::isfinite(entry.summary.low)) {
      cell.interval =
          fmt::format("{} to {}", format_value(entry.summary.low), format_value(entry.summary.high));
    }
    if (best >= 0 && row.is_ranked(column) && comparison.seeds >= fewest_for_intervals) {
      const auto winner = static_cast<std::size_t>(best);
      const PairedComparison lead = r == winner ? PairedComparison{} : pairs.better(winner, r);
      cell.best = r == winner || (lead.n >= fewest_for_intervals && lead.decision == Decision::undecided);
    }
    cells.push_back(std::move(cell));
  }
  return cells;
}

/// "4/5 (0.28 to 0.99)"; without the interval of the share under three seeds.
std::string learned_text(const ComparisonRow& row) {
  const std::string count = fmt::format("{}/{}", row.learned_cells, row.cells);
  if (row.learned_cells + row.not_learned < fewest_for_intervals) return count;
  const Interval share = row.learned_share();
  return fmt::format("{} ({:.2f} to {:.2f})", count, share.low, share.high);
}

/// Below the rows, a line for each baseline that has at least one score.
void add_references(Grid& grid, const ExperimentResult& result, const Comparison& comparison,
                    std::size_t before) {
  for (const Reference& reference : result.references) {
    std::vector<GridCell> line(before);
    line.front().text = reference.label;
    for (const Index length : comparison.lengths) {
      const auto score = std::ranges::find(reference.scores, length, &LengthScore::length);
      const Measurement* measured =
          score == reference.scores.end() ? nullptr : score->find(comparison.metric.id);
      line.push_back({measured == nullptr ? "–" : format_value(measured->value)});
    }
    const auto has_number = [](const GridCell& cell) { return cell.text != "–"; };
    if (std::none_of(line.begin() + static_cast<std::ptrdiff_t>(before), line.end(), has_number)) continue;
    for (GridCell& cell : line) cell.reference = true;
    grid.lines.push_back(std::move(line));
  }
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

/// The headline metric as the title of a table of one length names it.
std::string metric_at(const ExperimentResult& result, std::size_t column) {
  const std::string& name = result.metrics.front().name;
  return result.lengths[column] <= result.train_length ? name_within_training(name) : name;
}

}  // namespace

std::string full_text(const GridCell& cell) {
  if (cell.text.empty() || cell.note.empty()) return cell.text + cell.note;
  return fmt::format("{} ({})", cell.text, cell.note);
}

Grid grid_of_rows(const ExperimentResult& result, const Comparison& comparison, std::string title) {
  const Keys factors = factor_headings(shared_factors(result));
  Grid grid{std::move(title), 1, factors.empty() ? Keys{"row"} : factors, {}};
  grid.names = grid.headings.size();
  for (const ComparisonRow& row : comparison.rows) {
    std::vector<GridCell> line;
    const bool written = factors.empty() || row.factors.empty();  // then its name goes in the first column
    if (written) line.push_back({row.label});
    for (std::size_t f = written ? 1 : 0; f < factors.size(); ++f)
      line.push_back({written ? "" : row.factors[f].second});
    line.front().unranked = !row.learned();
    grid.lines.push_back(std::move(line));
    grid.rows.push_back(row.label);
  }
  return grid;
}

std::string format_value(double value) {
  if (!std::isfinite(value)) return std::isnan(value) ? "–" : (value > 0.0 ? "∞" : "−∞");
  if (std::abs(value) >= 1e6) return fmt::format("{:.1e}", value);
  if (std::abs(value) < 0.0005) value = 0.0;  // not -0.000
  return fmt::format("{:.{}f}", value, decimals(value));
}

std::string format_effect(double value) {
  return value != 0.0 && std::abs(value) < 0.01 ? fmt::format("{:.2g}", value) : format_value(value);
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

std::string cell_text(const ComparisonRow& row, std::size_t column, Index usual_n) {
  const Entry& entry = row.entries[column];
  if (entry.diverged > 0) return "diverged";
  if (entry.failed > 0 && entry.summary.n == 0) return "fails";
  if (entry.summary.n == 0) return "–";
  std::string text = format_mean(entry.summary);
  if (!row.learned()) return fmt::format("({})", text);
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

std::string table_caption(const ExperimentResult& result, const MetricInfo& metric) {
  const Index seeds = compare(result, metric.id).seeds;
  const std::string spread =
      seeds > 1 ? fmt::format("mean ± standard deviation over {} seeds", seeds) : "one seed, so no spread";
  const bool counts_all = metric.id.ends_with(".past") && !result.lengths.empty() &&
                          result.lengths.front() <= result.train_length;
  return fmt::format("{}{} ({} is better){}, {}", metric.name,
                     counts_all ? ", up to it at all positions" : "",
                     metric.lower_is_better ? "lower" : "higher", under_condition(result), spread);
}

Grid main_grid(const ExperimentResult& result, const MetricInfo& metric) {
  const Comparison comparison = compare(result, metric.id);
  Grid grid = grid_of_rows(result, comparison, table_caption(result, metric));
  add_notes(grid, comparison);
  grid.headings.emplace_back("parameters");
  grid.details = {grid.names};
  if (result.gate) grid.headings.emplace_back("seeds that learned");
  const std::size_t before = grid.headings.size();
  for (std::size_t r = 0; r < comparison.rows.size(); ++r) {
    const ComparisonRow& row = comparison.rows[r];
    grid.lines[r].push_back({group_thousands(row.parameters)});
    if (result.gate) grid.lines[r].push_back({learned_text(row)});
  }
  for (std::size_t c = 0; c < comparison.lengths.size(); ++c) {
    grid.headings.push_back(length_heading(comparison.lengths[c], result.train_length));
    const std::vector<GridCell> column = score_column(comparison, c);
    for (std::size_t r = 0; r < column.size(); ++r) grid.lines[r].push_back(column[r]);
  }
  add_references(grid, result, comparison, before);
  return grid;
}

std::vector<Grid> pivot_grids(const ExperimentResult& result) {
  const Keys names = factor_headings(shared_factors(result));
  if (names.size() != 2) return {};
  const Comparison comparison = compare(result);
  const Keys across = values_of(comparison, 1);
  std::vector<Grid> grids;
  for (std::size_t c = 0; c < comparison.lengths.size(); ++c) {
    Grid grid{
        fmt::format("Length {}, {} by {}: {}", length_heading(comparison.lengths[c], result.train_length),
                    names[0], names[1], metric_at(result, c)),
        1,
        {names[0]},
        {}};
    for (const std::string& value : across) grid.headings.push_back(fmt::format("{} = {}", names[1], value));
    for (const std::string& down : values_of(comparison, 0)) {
      grid.lines.push_back({{down}});
      grid.lines.back().resize(1 + across.size(), GridCell{.text = "–", .missing = true});
    }
    const std::vector<GridCell> scores = score_column(comparison, c);
    for (std::size_t r = 0; r < comparison.rows.size(); ++r) {
      const auto& factors = comparison.rows[r].factors;
      if (factors.empty()) continue;  // a written row
      const auto line = std::ranges::find(grid.lines, factors[0].second,
                                          [](const auto& cells) { return cells.front().text; });
      const auto column = 1 + (std::ranges::find(across, factors[1].second) - across.begin());
      (*line)[static_cast<std::size_t>(column)] = scores[r];
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
    comparisons.push_back(compare(result, result.metrics.front().id, condition));
  }
  std::vector<Grid> grids;
  for (std::size_t c = 0; c < result.lengths.size(); ++c) {
    Grid grid = grid_of_rows(
        result, comparisons.front(),
        fmt::format("Length {}, under each condition: {}",
                    length_heading(result.lengths[c], result.train_length), metric_at(result, c)));
    for (std::size_t k = 0; k < comparisons.size(); ++k) {
      grid.headings.push_back(conditions[k]);
      const std::vector<GridCell> column = score_column(comparisons[k], c);
      for (std::size_t r = 0; r < column.size(); ++r) grid.lines[r].push_back(column[r]);
    }
    grids.push_back(std::move(grid));
  }
  return grids;
}

std::vector<Grid> class_grids(const ExperimentResult& result) {
  if (result.classes.empty()) return {};
  Grid grid{"Classes of targets, and the oracle's bits for them", 1, {"class of targets"}, {}};
  for (const Index length : result.lengths) {
    grid.headings.push_back(fmt::format("share at {}", length_heading(length, result.train_length)));
    grid.headings.emplace_back("bits");
  }
  for (const TokenClass& token_class : result.classes) {
    grid.lines.push_back({{token_class.name}});
    for (const auto& [share, bits] : token_class.by_length) {
      grid.lines.back().push_back({fmt::format("{:.1f} %", 100.0 * share)});
      grid.lines.back().push_back({format_value(bits)});
    }
  }
  return {grid};
}

namespace {

/// A note on how much of the spread the choice of examples can explain.
std::string sampling_note(const Comparison& comparison) {
  double error = 0.0;
  for (const ComparisonRow& row : comparison.rows) {
    for (const Entry& entry : row.entries) error = std::max(error, entry.sampling_error);
  }
  return error == 0.0 ? ""
                      : fmt::format(
                            "The score of one seed has a standard error of at most {:.3f} from the choice of "
                            "examples.",
                            error);
}

}  // namespace

std::vector<std::string> table_notes(const ExperimentResult& result) {
  std::vector<std::string> notes;
  if (result.gate)
    notes.push_back(fmt::format(
        "Learned: {}. Rows that most seeds did not learn stand in parentheses and are not ranked.",
        result.gate->text));
  for (const RowInfo& row : result.rows) notes.insert(notes.end(), row.notes.begin(), row.notes.end());
  std::set<std::string> seen;
  for (const std::string& condition : conditions_of(result)) {
    const std::string where = condition == conditions_of(result).front() ? "" : " under " + condition;
    for (const ComparisonRow& row : compare(result, result.metrics.front().id, condition).rows) {
      for (const Entry& entry : row.entries) {
        if (entry.failed == 0 || !seen.insert(row.label).second) continue;
        notes.push_back(fmt::format("{} fails{}: {}", row.label, where, entry.why));
      }
    }
  }
  if (const std::string note = sampling_note(compare(result)); !note.empty()) notes.push_back(note);
  return notes;
}

}  // namespace ordinal::experiments

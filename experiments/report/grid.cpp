#include "experiments/report/grid.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "experiments/settings/keys.h"

namespace ordinal::experiments {
namespace {

using Texts = std::vector<std::string>;

void add_new(Texts& texts, const std::string& text) {
  if (std::ranges::find(texts, text) == texts.end()) texts.push_back(text);
}

/// The keys that define the rows, as headings: "encoding" for model.encoding, or the whole key if the short name
/// would name two columns. None if rows use different keys, or are all written out.
Texts factor_headings(const ExperimentResult& result) {
  const Texts shared = factors_of(result);
  for (const RowInfo& row : result.rows)
    if (!row.factors.empty() && row.factors.size() != shared.size()) return {};
  Texts headings;
  for (const std::string& key : shared) {
    const bool unique = std::ranges::count(shared, name_in_section(key), name_in_section) == 1;
    headings.push_back(unique ? name_in_section(key) : key);
  }
  return headings;
}

/// How many decimals a table shows for a number.
int shown_decimals(double value) {
  const double size = std::abs(value);
  if (size < 9.9995) return 3;
  if (size < 99.995) return 2;
  return size < 999.95 ? 1 : 0;
}

/// Adds a line below the rows for each baseline that has a score.
void add_references(Grid& grid, const ExperimentResult& result, const MetricSpec& metric,
                    std::size_t before) {
  for (const std::string& reader : readers_of(result, metric)) {
    std::vector<GridCell> line(before, GridCell{.text = "", .reference = true});
    line.front().text = reader;
    for (const Index length : result.lengths)
      line.push_back({.text = cell_text(reader_at(result, reader, length, metric), 1), .reference = true});
    grid.lines.push_back(std::move(line));
  }
}

/// "bits per token (lower is better), mean ± standard deviation over 3 seeds"; "; preliminary: 3 of 10 seeds" while others follow.
std::string table_title(const ExperimentResult& result, const MetricSpec& metric) {
  const bool counts_all =
      metric.past && metric.sources == SourceRange::any && result.lengths.front() <= result.train_length;
  const Index seeds = most_seeds(result);
  bool has_number = false;
  for (const Index length : result.lengths)
    for (const Group& group : column_of(result, metric, length))
      has_number = has_number || group.summary.n > 0;
  const std::string spread = !has_number  ? "no seed has a number"
                             : seeds == 1 ? "one seed, so no spread"
                                          : fmt::format("mean ± standard deviation over {} seeds", seeds);
  const std::string so_far =
      result.so_far ? fmt::format("; preliminary: {} of {} seeds", result.so_far->done, result.so_far->all)
                    : "";
  return fmt::format("{}{} ({} is better){}, {}{}", metric.title(),
                     counts_all ? ", up to it at all positions" : "",
                     metric.lower_is_better() ? "lower" : "higher", under_condition(result), spread, so_far);
}

}  // namespace

void Grid::add_column(const std::string& heading, const std::vector<GridCell>& cells) {
  headings.push_back(heading);
  for (std::size_t i = 0; i < cells.size(); ++i) lines[i].push_back(cells[i]);
}

Texts factors_of(const ExperimentResult& result) {
  Texts keys;
  for (const RowInfo& row : result.rows)
    for (const auto& [key, value] : row.factors) add_new(keys, key);
  return keys;
}

Grid grid_of_rows(const ExperimentResult& result, const std::string& title) {
  const Texts factors = factor_headings(result);
  Grid grid{.title = title, .headings = factors.empty() ? Texts{"row"} : factors};
  grid.names = grid.headings.size();
  for (const RowInfo& row : result.rows) {
    std::vector<GridCell> line(grid.names);
    const bool written = factors.empty() || row.factors.empty();  // then its name goes in the first column
    if (written) line.front().text = row.label;
    for (std::size_t f = 0; f < grid.names && !written; ++f) line[f].text = row.factors[f].second;
    line.front().unranked = !learning_of(result, row.label).most();
    grid.lines.push_back(std::move(line));
    grid.rows.push_back(row.label);
  }
  return grid;
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

std::string counted(Index count, const std::string& thing) {
  return fmt::format("{} {}{}", count, thing, count == 1 ? "" : "s");
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

std::string cell_text(const Group& group, Index usual_n) {
  const std::string text = format_mean(group.summary);
  const Index n = group.summary.n;
  if (n == 0) return group.failed > 0 ? "fails" : group.diverged > 0 ? "diverged" : text;
  if (group.is_few()) return counted(group.targets, "target");
  if (!group.learning.most())
    return n < usual_n ? fmt::format("({}, n = {})", text, n) : fmt::format("({})", text);
  return n < usual_n ? fmt::format("{} (n = {})", text, n) : text;
}

std::string length_heading(Index length, Index train_length) {
  const std::string multiple = multiple_of(length, train_length);
  return multiple.empty() ? fmt::format("{}", length) : fmt::format("{} ({})", length, multiple);
}

std::string under_condition(const ExperimentResult& result) {
  const std::string condition = result.conditions.front();
  return condition == trained_condition ? "" : ", under " + condition;
}

std::vector<GridCell> score_column(const ExperimentResult& result, const MetricSpec& metric, Index length,
                                   const std::string& condition) {
  std::set<std::size_t> best;
  if (length == result.lengths.back() && condition == result.conditions.front())
    for (const Ranking& ranking : rankings_of(result))
      if (ranking.metric.id == metric.id) best = ranking.best();
  const Index seeds = most_seeds(result);
  std::vector<GridCell> cells;
  for (const RowInfo& row : result.rows) {
    const Group group = at(result, row.label, length, condition, metric);
    const Interval& median = group.summary.median;
    GridCell& cell = cells.emplace_back(GridCell{.text = cell_text(group, seeds), .why = group.why});
    cell.missing = !group.has_number() && !group.is_few();
    cell.best = best.contains(cells.size() - 1);
    if (group.has_number() && std::isfinite(median.low))
      cell.interval = fmt::format("{} to {}", format_value(median.low), format_value(median.high));
  }
  return cells;
}

// Puts the note of an encoding behind its name, unless that says it: "learned(overflow=clamp)" with "overflow = clamp".
void add_note(const Grid& grid, const std::string& note, std::vector<GridCell>& line) {
  const auto column = std::ranges::find(grid.headings, "encoding") - grid.headings.begin();
  GridCell& named = column < std::ssize(line) ? line[static_cast<std::size_t>(column)] : line.front();
  std::string& name = named.text.empty() ? line.front().text : named.text;
  std::string option = note;
  std::erase(option, ' ');
  if (name.find(option) == std::string::npos) name += fmt::format(" ({})", note);
}

Grid main_grid(const ExperimentResult& result, const MetricSpec& metric) {
  Grid grid = grid_of_rows(result, table_title(result, metric));
  std::vector<GridCell> parameters;
  std::vector<GridCell> learned;
  for (std::size_t r = 0; r < grid.rows.size(); ++r) {
    const CellResult& cell = *std::ranges::find(result.cells, grid.rows[r], &CellResult::row);
    add_note(grid, cell.note, grid.lines[r]);
    parameters.push_back({group_thousands(cell.parameters)});
    learned.push_back({learned_text(learning_of(result, grid.rows[r]))});
  }
  grid.detail = grid.names;
  grid.add_column("parameters", parameters);
  if (!gate_text(result).empty()) grid.add_column("seeds that learned", learned);
  const std::size_t before = grid.headings.size();
  for (const Index length : result.lengths)
    grid.add_column(length_heading(length, result.train_length),
                    score_column(result, metric, length, result.conditions.front()));
  add_references(grid, result, metric, before);
  return grid;
}

std::vector<Grid> pivot_grids(const ExperimentResult& result) {
  const Texts names = factor_headings(result);
  if (names.size() != 2) return {};
  Texts across;
  for (const RowInfo& row : result.rows)
    if (!row.factors.empty()) add_new(across, row.factors[1].second);
  const MetricSpec& metric = result.metrics.front();
  std::vector<Grid> grids;
  for (const Index length : result.lengths) {
    Grid& grid = grids.emplace_back(
        Grid{.title = fmt::format("Length {}, {} by {}: {}", length_heading(length, result.train_length),
                                  names[0], names[1], metric.title(length > result.train_length)),
             .headings = {names[0]}});
    for (const std::string& value : across) grid.headings.push_back(names[1] + " = " + value);
    const std::vector<GridCell> scores = score_column(result, metric, length, result.conditions.front());
    for (std::size_t r = 0; r < scores.size(); ++r) {
      const auto& factors = result.rows[r].factors;
      if (factors.empty()) continue;  // a written row
      const std::string& down = factors.front().second;
      if (grid.lines.empty() || grid.lines.back().front().text != down) grid.lines.push_back({{down}});
      grid.lines.back().push_back(scores[r]);
    }
  }
  return grids;
}

std::vector<std::string> table_notes(const ExperimentResult& result) {
  Texts notes;
  const auto has_failed = [&](const RowInfo& row) {
    const Learning learning = learning_of(result, row.label);
    return learning.not_learned > 0 && !learning.most();
  };
  if (const std::string gate = gate_text(result); !gate.empty())
    notes.push_back(
        fmt::format("Learned: {}. Rows that fewer than three quarters of the seeds learned stand in "
                    "parentheses and are not ranked.{}",
                    gate,
                    std::ranges::any_of(result.rows, has_failed)
                        ? " More train.steps or another train.learning_rate may help."
                        : ""));
  if (std::ranges::any_of(result.metrics,
                          [](const MetricSpec& one) { return one.sources != SourceRange::any; }))
    notes.emplace_back(
        "Near and far: the source of the answer lies within the training length, or is further back.");
  for (const MetricSpec& metric : result.metrics)
    if (!metric.band.empty() && !metric.has_targets(result.lengths.back(), result.train_length))
      notes.push_back(fmt::format("No source is {} back: a length above {} has some.", metric.band,
                                  metric.band_from * result.train_length));
  for (const RowInfo& row : result.rows) notes.insert(notes.end(), row.notes.begin(), row.notes.end());
  std::set<std::string> seen;
  double error = 0.0;  // under the main condition
  const MetricSpec& metric = result.metrics.front();
  for (const std::string& condition : result.conditions) {
    const bool is_main = condition == result.conditions.front();
    const std::string under = is_main ? "" : " under " + condition;
    for (const RowInfo& row : result.rows) {
      for (const Index length : lengths_under(result, condition)) {
        const Group group = at(result, row.label, length, condition, metric);
        if (is_main && !group.is_few()) error = std::max(error, group.error);
        if (group.failed + group.diverged == 0 || !seen.insert(row.label).second) continue;
        notes.push_back(group.failed > 0
                            ? fmt::format("{} fails{}: {}", row.label, under, group.why)
                            : fmt::format("{} gives no finite {} from {} on{} in {} of {} seeds.", row.label,
                                          metric.title(), length, under, group.diverged,
                                          group.learning.seeds));
      }
    }
  }
  if (error > 0.0)
    notes.push_back(fmt::format(
        "The score of one seed has a standard error of at most {:.3f} from the choice of examples.", error));
  return notes;
}

}  // namespace ordinal::experiments

// The tables of an experiment, laid out once: the text of every cell, heading and caption. table.cpp, html.cpp and
// terminal_table.cpp only format them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "experiments/report/comparison.h"

namespace ordinal::experiments {

/// About four significant digits: 1.234, 12.34, 123.4, 1234; "1.2e+07" from a million up.
std::string format_value(double value);

/// The same, but with two significant digits for small numbers: 0.0012.
std::string format_effect(double value);

/// "1.234 ± 0.012", both with the same number of decimals; the value alone for one seed; "–" for none.
std::string format_mean(const Summary& summary);

/// "1 row", "2 rows".
std::string counted(Index count, const std::string& thing);

/// "1,234,567".
std::string group_thousands(Index count);

/// format_mean(); in parentheses if the row is not ranked; "fails" where the row cannot run; "diverged"; "23 targets" if they are
/// too few for a mean. Adds " (n = 2)" if it is the mean of fewer than `usual_n` seeds, because others failed or diverged.
std::string cell_text(const Group& group, Index usual_n);

/// "128 (2x)"; "128" if rows differ in the training length.
std::string length_heading(Index length, Index train_length);

/// ", under window(size=64)" if the main tables show a condition that differs from training; else "".
std::string under_condition(const ExperimentResult& result);

/// A cell of a table: its text, and details that the HTML page may add.
struct GridCell {
  std::string text;
  std::string interval = {};  // "2.847 to 3.393": 95 % interval of the median
  std::string why = {};       // reason for a failure
  bool missing = false;       // a score without a number
  bool best = false;          // see Ranking::best()
  bool reference = false;     // of a baseline, not a model
  bool unranked = false;      // the name of a row that did not learn the task
};

struct Grid {
  std::string title = {};
  std::size_t names = 1;  // columns at the left that name the row
  std::vector<std::string> headings = {};
  std::vector<std::vector<GridCell>> lines = {};
  std::vector<std::string> rows = {};      // labels of the rows that the first lines show; may be empty
  std::optional<std::size_t> detail = {};  // a column that a narrow screen hides

  /// Adds a column on the right, with a cell for each of the first lines.
  void add_column(const std::string& heading, const std::vector<GridCell>& cells);
};

/// Every key that is a factor of some row.
std::vector<std::string> factors_of(const ExperimentResult& result);

/// Only the columns that name the rows.
Grid grid_of_rows(const ExperimentResult& result, const std::string& title);

/// The scores of all rows at a length under a condition. Where rows are compared, the best are bold.
std::vector<GridCell> score_column(const ExperimentResult& result, const MetricSpec& metric, Index length,
                                   const std::string& condition);

/// Rows by lengths, under the main condition. Rows made of the same factors have a column for each factor.
/// Baselines go below.
Grid main_grid(const ExperimentResult& result, const MetricSpec& metric);

/// If every row is a combination of two factors, one grid for each length: the first factor down, the second
/// across.
std::vector<Grid> pivot_grids(const ExperimentResult& result);

/// If there is more than one condition, one grid for each headline metric: rows by conditions, each at its longest length, and
/// before them, at the training length, what positions alone do: `trained` beside `shifted`, whose offsets share a column with
/// their mean and their range. table.csv has every condition at each of its lengths.
std::vector<Grid> condition_grids(const ExperimentResult& result);

/// For each headline metric whose targets are split by distance, one grid: rows by bands at the longest length.
std::vector<Grid> band_grids(const ExperimentResult& result);

/// The notes under the main table, each once: the learning criterion, the sampling error, the notes of rows,
/// and why a row fails or where it diverges.
std::vector<std::string> table_notes(const ExperimentResult& result);

}  // namespace ordinal::experiments

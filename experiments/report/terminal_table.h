// The comparison for a terminal: the same grids as in table.md, fitted to its width.
#pragma once

#include <optional>
#include <string>

#include "experiments/report/result.h"
#include "experiments/settings/terminal.h"

namespace ordinal::experiments {

/// The main table, its notes, and the conditions at the longest length; ends in a line break. Where a table is wider than
/// the terminal, it is set closer, then with notes of rows below it, then without the number of parameters (and says so),
/// then in several parts, and at last with a line for each value. Without a terminal every table is whole, and the text does not depend on the environment.
/// In colors, the best values are bold, and rows that did not learn the task and baselines dim.
std::string terminal_table(const ExperimentResult& result, const std::optional<Terminal>& terminal);

/// Breaks a line between words where it gets wider than `columns`; the lines that follow are indented.
std::string wrapped(const std::string& line, std::size_t columns, std::size_t indent = 0);

}  // namespace ordinal::experiments

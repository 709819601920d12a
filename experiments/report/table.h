// The comparison as text: aligned for a terminal, Markdown, and CSV for other programs. The HTML tables are
// in html.cpp and show the same grids.
#pragma once

#include <string>

#include "experiments/report/result.h"

namespace ordinal::experiments {

/// The main table, aligned for a terminal that shows UTF-8, its notes, and the conditions at the longest
/// length; ends in a line break.
std::string terminal_table(const ExperimentResult& result);

/// table.md: all positions, then only positions past the training length, then the other grids.
std::string markdown_tables(const ExperimentResult& result);

/// table.csv: one line per row, length, condition and positions (all or past the training length), with n,
/// mean, sd and 95 % interval; empty fields where there is no number, or where a row does not have a factor.
std::string table_csv(const ExperimentResult& result);

/// seeds.csv: one line per cell, length and condition, with every seed's own numbers.
std::string seeds_csv(const ExperimentResult& result);

}  // namespace ordinal::experiments

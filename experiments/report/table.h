// The comparison as text: Markdown, and CSV for other programs. The HTML tables are in html.cpp, those for a terminal in
// terminal_table.cpp; all show the same grids.
#pragma once

#include <string>

#include "experiments/report/grid.h"

namespace ordinal::experiments {

/// Makes any text safe in Markdown, outside code; line breaks become spaces.
std::string escape_markdown(const std::string& text);

/// A grid as a Markdown table below its title.
std::string markdown(const Grid& grid);

/// table.md: a table for each metric, the headlines first, then the other grids.
std::string markdown_tables(const ExperimentResult& result);

/// table.csv: one line per row, length, condition and metric, with n, mean, sd and 95 % interval of the median over all
/// seeds, the targets of the seed with the fewest, and how many seeds did not learn the task, failed or diverged; empty fields
/// where there is no number, or where a row lacks a factor.
std::string table_csv(const ExperimentResult& result);

/// seeds.csv: one line per cell, length, condition and metric, with every seed's own numbers.
std::string seeds_csv(const ExperimentResult& result);

/// references.csv: one line per baseline, length and metric; empty without any.
std::string references_csv(const ExperimentResult& result);

}  // namespace ordinal::experiments

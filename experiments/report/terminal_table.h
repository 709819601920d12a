// Tables for a terminal, fitted to its width: the same grids as in table.md.
#pragma once

#include <optional>
#include <string>

#include "experiments/process/streams.h"
#include "experiments/report/grid.h"

namespace ordinal::experiments {

/// A grid as text, under its title; ends in a line break. Control characters of names are shown as \x1b. Where it is wider
/// than the terminal, it is set closer, with notes of rows below it, and comes in several parts if need be. Without a
/// terminal it is whole, and the text does not depend on the environment. In colors, the best values are bold, and rows that
/// did not learn the task and baselines dim.
std::string terminal_grid(const Grid& grid, const std::optional<Terminal>& terminal);

/// The main table of an experiment, its notes, and the conditions at the longest length.
std::string terminal_table(const ExperimentResult& result, const std::optional<Terminal>& terminal);

/// Breaks a line between words where it gets wider than `columns`; the lines that follow are indented. Control characters
/// are shown as \x1b.
std::string wrapped(const std::string& given, std::size_t columns, std::size_t indent = 0);

}  // namespace ordinal::experiments

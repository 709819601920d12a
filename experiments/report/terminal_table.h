// Tables for a terminal, fitted to its width: the same grids as in table.md.
#pragma once

#include <optional>
#include <string>

#include "experiments/process/streams.h"
#include "experiments/report/grid.h"

namespace ordinal::experiments {

/// A grid as text, under its title; ends in a line break. Control characters in names are shown as \x1b. A grid wider than
/// the terminal gets narrower gaps and row notes below it, and is split into parts if needed. Without a terminal it is
/// whole, and the text does not depend on the environment. With colors, the best values are bold; baselines and rows that
/// did not learn the task are dim.
std::string terminal_grid(const Grid& grid, const std::optional<Terminal>& terminal);

/// The main table of an experiment, its notes, and the conditions at the longest length.
std::string terminal_table(const ExperimentResult& result, const std::optional<Terminal>& terminal);

/// Breaks a line between words where it would exceed `columns`; the following lines are indented. Control characters
/// are shown as \x1b.
std::string wrapped(const std::string& given, std::size_t columns, std::size_t indent = 0);

}  // namespace ordinal::experiments

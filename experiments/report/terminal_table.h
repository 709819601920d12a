// The main tables of an experiment for a terminal, fitted to its width: the same as in table.md.
#pragma once

#include <optional>
#include <string>

#include "experiments/process/streams.h"
#include "experiments/report/grid.h"

namespace ordinal::experiments {

/// A table for each headline metric under its title, those of bands, the answer and the notes; ends in a line break. Control characters in
/// names are shown as \x1b. If a table is wider than the terminal, columns after the names are left out, beginning at the left,
/// and a line below names them. Without a terminal it is whole. With colors, the best values are bold; baselines and rows that did not learn the task are
/// dim.
std::string terminal_table(const ExperimentResult& result, const std::optional<Terminal>& terminal);

}  // namespace ordinal::experiments

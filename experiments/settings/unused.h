// Finds settings on the command line that would have no effect. Files may contain such settings, because they
// are shared by several programs and runs.
#pragma once

#include <vector>

#include "experiments/settings/checks.h"
#include "experiments/settings/rows.h"

namespace ordinal::experiments {

/// A line for each setting on the command line that none of `rows`, all that is built, depends on: because
/// every row sets it itself, because no part in use has the option, or because each of them sets it in
/// brackets.
std::vector<Contradiction> unused_settings(const Settings& settings, const std::vector<Row>& rows);

}  // namespace ordinal::experiments

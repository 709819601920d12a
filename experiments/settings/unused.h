// Finds settings that would have no effect. On the command line they are refused; files may contain them, because they
// are shared by several programs and runs.
#pragma once

#include <vector>

#include "experiments/settings/checks.h"
#include "experiments/settings/rows.h"

namespace ordinal::experiments {

/// Whether the model and task of some settings have a part that reads the option behind `key` from it: for
/// rope(base=500), positional.base is not read.
bool is_option_read(const Settings& settings, const std::string& key);

/// A line for each setting on the command line that none of `rows`, all that is built, depends on: because
/// every row sets it itself, because no part in use has the option, or because each of them sets it in
/// brackets.
std::vector<Contradiction> unused_settings(const Settings& settings, const std::vector<Row>& rows);

}  // namespace ordinal::experiments

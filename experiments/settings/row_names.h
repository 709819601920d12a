// Short names for settings that hold every option, such as those of a checkpoint.
#pragma once

#include <string>
#include <vector>

#include "experiments/settings/plan.h"
#include "experiments/settings/rows.h"

namespace ordinal::experiments {

/// The encoding and its positions as an entry of positional.encodings: "rope", "rope(base=500)",
/// "rope@contiguous:yarn". Options that have the value that they would have if nobody set them are left out, those of
/// nested parts, too. As it is written, where that is shorter: "rope(base=auto)", "rope@randomized".
std::string entry_text(const Plan& plan);

/// The keys in which they differ, in the order of all keys.
std::vector<std::string> differing_keys(const std::vector<Plan>& rows);

/// For each of them, its values of the keys that tell them apart: "positional.encoding" with an entry, also where only
/// positions differ; then the others, without those that follow from them. A single one, or several that are equal, have
/// their entry.
std::vector<Combination> distinguishing_values(const std::vector<Plan>& rows);

}  // namespace ordinal::experiments

// One text binds a result: all settings in effect that it depends on. Weights and results of another text are refused with
// the first line in which it differs.
#pragma once

#include <optional>
#include <string>

#include "experiments/settings/plan.h"

namespace ordinal::experiments {

/// A setting in which existing weights differ from those of a run, with both values.
struct Difference {
  std::string key;
  std::string there;
  std::string here;
};

/// The first difference between two texts of Plan::text(), if any: a setting, or for a key that names parts, the names or
/// an option, "rope(base=500)".
std::optional<Difference> first_line(const Metadata& there, const Metadata& here);

}  // namespace ordinal::experiments

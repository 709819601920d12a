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
  std::string bound = {};  // of a longer run: what depends on its last step, "train.schedule = cosine"
};

/// The first difference between two texts of Plan::text(), if any: a setting, or for a key that names parts, the names or
/// an option, "rope(base=500)".
std::optional<Difference> first_line(const Metadata& there, const Metadata& here);

/// The first difference from `here`, the metadata of a training of `plan`, if any; another version is one. A file
/// may have moved: its hash is compared. With `may_be_longer` the run may have more steps, provided that the learning
/// rate does not depend on the last step, as it does if the warm-up was cut to the steps. Throws ConfigError for metadata
/// that does not form valid settings.
std::optional<Difference> first_difference(const Metadata& there, const std::string& origin, const Plan& plan,
                                           const Metadata& here, Binds last, bool may_be_longer = false);

/// "train.steps = 5, this run has 9", and what to do about it.
std::string explained(const Difference& difference);

}  // namespace ordinal::experiments

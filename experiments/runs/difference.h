// In which setting weights or results of an earlier run differ from those of this one.
#pragma once

#include <optional>
#include <string>

#include "experiments/runs/configure.h"

namespace ordinal::experiments {

/// A setting in which weights that are there differ from those of a run, with both values.
struct Difference {
  std::string key;
  std::string there;
  std::string here;
};
/// The first one, if any. A key that is not there has its default, and a file may have moved, as its hash
/// counts. If it `may_be_longer`, so may the run, provided that the learning rate does not depend on its last
/// step. Throws ConfigError for metadata that makes no settings.
std::optional<Difference> first_difference(const Metadata& there, const std::string& origin,
                                           const Metadata& here, const Task& task, Binds last,
                                           bool may_be_longer = false);

}  // namespace ordinal::experiments

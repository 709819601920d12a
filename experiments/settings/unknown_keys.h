// What a name that is no key may mean.
#pragma once

#include <string>
#include <vector>

namespace ordinal::experiments {

/// The end of a message about an unknown name: how a key of an earlier version or an option of a part is written now, the
/// nearest known name if it is near, or else the names that were expected. `options` are those outside the sections, of
/// which suggestions begin with `dashes`, as do keys.
std::string hint_for(const std::string& name, const std::string& value,
                     const std::vector<std::string>& options = {}, const std::string& dashes = "");

}  // namespace ordinal::experiments

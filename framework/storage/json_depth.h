// A bound on how deep JSON from outside is nested: a parser, or the tree that it makes, may recurse once for each level.
#pragma once

#include <string_view>

namespace ordinal {

/// Whether brackets outside of strings are nested more than a hundred levels deep. No file of this project comes near that.
bool is_nested_too_deep(std::string_view json);

}  // namespace ordinal

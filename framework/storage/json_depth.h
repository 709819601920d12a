// Limits the nesting depth of untrusted JSON: a parser, or the tree that it builds, may recurse once per level.
#pragma once

#include <string_view>

namespace ordinal {

/// Whether brackets outside strings are nested more than a hundred levels deep. No file of this project comes near that.
inline bool is_nested_too_deep(std::string_view json) {
  constexpr int deepest = 100;
  int depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (in_string && c == '\\') {
      ++i;  // whatever follows is part of the string
    } else if (c == '"') {
      in_string = !in_string;
    } else if (!in_string) {
      depth += c == '[' || c == '{' ? 1 : c == ']' || c == '}' ? -1 : 0;
      if (depth > deepest) return true;
    }
  }
  return false;
}

}  // namespace ordinal

// Sets the options of the parts of an encoding, for those that have them.
#pragma once

#include <string>
#include <vector>

#include "framework/positional/positional_encoding.h"

namespace ordinal::testing {

/// "sinusoidal+t5" with {buckets: 8, hidden: 3} is "sinusoidal+t5(buckets=8)".
inline std::string with_options(const std::string& text, const OptionValues& wanted) {
  std::vector<std::string> parts;
  for (Part part : encoding_parts(text)) {
    for (const OptionSpec& spec : encodings().find(part.name).options) {
      if (const auto found = wanted.find(spec.name); found != wanted.end()) part.options.insert(*found);
    }
    parts.push_back(to_string(part));
  }
  return joined(parts, "+");
}

}  // namespace ordinal::testing

// How a part is named: "rope", or with options "rope(base=500, pairing=half)". Values may be parts
// themselves.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "framework/core/options.h"

namespace ordinal {

struct Part {
  std::string name;
  OptionValues options = {};
};

/// Throws ConfigError for a text that does not name a part: an empty name, a bracket that is not closed, an
/// option without a value or given twice.
Part parse_part(std::string_view given);

/// The options of a part with all values in effect in a model. Throws ConfigError.
template <typename Options>
std::vector<OptionSpec> resolved_specs(const Part& part, const ModelShape& shape) {
  return specs_of(resolved_options<Options>(part.name, part.options, shape));
}

/// "rope(base=500, pairing=half)", with the options in the order of their names.
std::string to_string(const Part& part);

/// The parts that a text names one after the other, such as "shaw+rope(base=500)" with the separator +.
std::vector<Part> parse_parts(std::string_view text, char separator);

/// "shaw+rope(base=500)", or with commas "conv, attention".
std::string to_string(const std::vector<Part>& parts, char separator);

/// The pieces between separators outside brackets, without surrounding space, including empty ones.
std::vector<std::string> split_outside_brackets(std::string_view text, char separator);

/// Without spaces, tabs and line breaks around it.
std::string trimmed(std::string_view text);

}  // namespace ordinal

// How a config names a part: "rope", or with options "rope(base=500, pairing=half)". Option values may
// themselves be parts.
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

/// Throws ConfigError for a text that does not name a part: an empty name, an unclosed bracket, an option
/// without a value, or an option given twice.
Part parse_part(std::string_view given);

/// The options of a part, with all values that take effect in a model. Throws ConfigError.
template <typename Options>
std::vector<OptionSpec> resolved_specs(const Part& part, const ModelShape& shape) {
  return specs_of(resolved_options<Options>(part.name, part.options, shape));
}

/// "rope(base=500, pairing=half)", with the options sorted by name.
std::string to_string(const Part& part);

/// The text of a part of `registry` with all options that take effect in a model, for an option that names a part.
/// Throws ConfigError.
template <typename Registry>
std::string resolved_text(const Registry& registry, const std::string& text, const ModelShape& shape) {
  Part part = parse_part(text);
  for (const OptionSpec& option : registry.find(part.name).resolve(part, shape))
    part.options[option.name] = option.value;
  return to_string(part);
}

/// The parts that a text lists, such as "shaw+rope(base=500)" with the separator +.
std::vector<Part> parse_parts(std::string_view text, char separator);

/// "shaw+rope(base=500)", or with commas "conv, attention".
std::string to_string(const std::vector<Part>& parts, char separator);

/// Splits `text` at the separators outside brackets. Trims the pieces and keeps empty ones.
std::vector<std::string> split_outside_brackets(std::string_view text, char separator);

/// The text without leading or trailing spaces, tabs and line breaks.
std::string trimmed(std::string_view text);

}  // namespace ordinal

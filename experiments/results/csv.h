// Lines of a CSV file (RFC 4180).
#pragma once

#include <concepts>
#include <string>
#include <vector>

namespace ordinal::experiments {

/// A field, in quotes if it contains a comma, a quote or a line break. A text that begins like a spreadsheet formula (= + -
/// @, a tab or a line break, but is not a number) or with an apostrophe gets a leading apostrophe.
std::string csv(const std::string& given);
/// The shortest text that reads back as the same double; empty for NaN.
std::string csv(double value);
std::string csv(std::integral auto count) { return std::to_string(count); }

/// A line of fields, as written by csv(), with a line break.
std::string csv_line(const std::vector<std::string>& fields);

/// The same, with further values after those fields.
template <typename... Values>
std::string csv_line(std::vector<std::string> fields, const Values&... values) {
  (fields.push_back(csv(values)), ...);
  return csv_line(fields);
}

}  // namespace ordinal::experiments

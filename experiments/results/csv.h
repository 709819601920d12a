// Lines of a CSV file (RFC 4180).
#pragma once

#include <concepts>
#include <optional>
#include <string>
#include <vector>

#include "framework/core/options.h"

namespace ordinal::experiments {

/// A field, in quotes if it contains a comma, a quote or a line break. A text that begins like a spreadsheet formula (= + -
/// @, a tab or a line break, but is not a number) or with an apostrophe gets a leading apostrophe.
std::string csv(const std::string& given);
/// The shortest text that reads back as the same double; empty for NaN.
std::string csv(double value);
std::string csv(std::integral auto count) { return std::to_string(count); }
/// 1, 0, or nothing if it is unknown.
inline std::string known_field(std::optional<bool> known) { return known ? *known ? "1" : "0" : ""; }

/// A line of fields, as written by csv(), and of further values, with a line break.
template <typename... Values>
std::string csv_line(std::vector<std::string> fields, const Values&... values) {
  (fields.push_back(csv(values)), ...);
  return joined(fields, ",") + "\n";
}

/// Such a file, behind any lines of comments, each "# text".
struct CsvFile {
  std::string path;
  std::vector<std::string> comments = {};            // without "# "
  std::vector<std::string> columns = {};             // their names
  std::vector<std::vector<std::string>> lines = {};  // their fields, without the leading apostrophes of csv()

  /// "x.csv:2", of the line of this index.
  std::string place(std::size_t line) const;
};

/// Throws DataError, one line that begins with `path`, for a line with another number of fields and a file that was cut off. Accepts
/// a byte order mark, and CRLF between lines.
CsvFile parse_csv(const std::string& text, const std::string& path);

}  // namespace ordinal::experiments

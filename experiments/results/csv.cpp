#include "experiments/results/csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "framework/core/errors.h"
#include "framework/core/text.h"

namespace ordinal::experiments {
namespace {

// The fields of each line.
std::vector<std::vector<std::string>> fields_of(const std::string& text, const std::string& path) {
  std::vector<std::vector<std::string>> lines = {{""}};
  bool is_quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::vector<std::string>& line = lines.back();
    if (text[i] == '"') {
      const bool is_doubled = is_quoted && text[i + 1] == '"';
      if (is_doubled) line.back() += text[++i];
      if (!is_doubled) is_quoted = !is_quoted;
    } else if (is_quoted || (text[i] != ',' && text[i] != '\n')) {
      line.back() += text[i];
    } else {
      text[i] == ',' ? void(line.emplace_back()) : void(lines.push_back({""}));
    }
  }
  if (lines.back() != std::vector<std::string>{""} || lines.size() < 2)
    throw DataError(fmt::format("{}: it was cut off: its last line has no end", path));
  lines.pop_back();
  return lines;
}

}  // namespace

std::string csv(const std::string& given) {
  const bool is_formula =
      !given.empty() && std::string("=+-@'\t\r\n").find(given.front()) != std::string::npos;
  std::string text = is_formula && !parse_real(given) ? "'" + given : given;
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

std::string csv(double value) { return std::isnan(value) ? "" : fmt::format("{}", value); }

std::vector<std::vector<std::string>> read_csv(const std::string& text, const std::string& path,
                                               const std::vector<std::string>& columns) {
  const auto lines = fields_of(text, path);
  std::vector<std::vector<std::string>> read(lines.size() - 1);
  for (const std::string& column : columns) {
    const auto at = static_cast<std::size_t>(std::ranges::find(lines[0], column) - lines[0].begin());
    if (at == lines[0].size()) throw DataError(fmt::format("{}: it has no column {}", path, column));
    for (std::size_t i = 1; i < lines.size(); ++i) {
      if (lines[i].size() != lines[0].size())
        throw DataError(
            fmt::format("{}:{}: got {} fields, expected {}", path, i + 1, lines[i].size(), lines[0].size()));
      const std::string& field = lines[i][at];
      read[i - 1].push_back(field.starts_with('\'') ? field.substr(1) : field);
    }
  }
  return read;
}

}  // namespace ordinal::experiments

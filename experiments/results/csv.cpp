#include "experiments/results/csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "framework/core/errors.h"
#include "framework/core/text.h"

namespace ordinal::experiments {
namespace {

// The fields of each line from `start` on.
std::vector<std::vector<std::string>> fields_of(const std::string& text, std::size_t start,
                                                const std::string& path) {
  std::vector<std::vector<std::string>> lines = {{""}};
  bool is_quoted = false;
  for (std::size_t i = start; i < text.size(); ++i) {
    std::vector<std::string>& line = lines.back();
    if (text[i] == '"') {
      const bool is_doubled = is_quoted && text[i + 1] == '"';
      if (is_doubled) line.back() += text[++i];
      if (!is_doubled) is_quoted = !is_quoted;
    } else if (!is_quoted && text.compare(i, 2, "\r\n") == 0) {
      continue;
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

std::string CsvFile::place(std::size_t line) const {
  return fmt::format("{}:{}", path, comments.size() + line + 2);
}

CsvFile parse_csv(const std::string& text, const std::string& path) {
  CsvFile file{path};
  std::size_t start = text.starts_with("\xEF\xBB\xBF") ? 3 : 0;  // a byte order mark
  while (text.compare(start, 2, "# ") == 0) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    const std::string line = text.substr(start + 2, end - start - 2);
    file.comments.push_back(line.substr(0, line.size() - (line.ends_with('\r') ? 1 : 0)));
    start = std::min(end + 1, text.size());
  }
  file.lines = fields_of(text, start, path);
  file.columns = std::move(file.lines.front());
  file.lines.erase(file.lines.begin());
  for (std::size_t i = 0; i < file.lines.size(); ++i) {
    if (file.lines[i].size() != file.columns.size())
      throw DataError(fmt::format("{}: got {} fields, expected {}", file.place(i), file.lines[i].size(),
                                  file.columns.size()));
    for (std::string& field : file.lines[i])
      if (field.starts_with('\'')) field.erase(0, 1);
  }
  return file;
}

}  // namespace ordinal::experiments

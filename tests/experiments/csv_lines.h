// Lines of a CSV file by the names of their columns.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "experiments/results/csv.h"

namespace ordinal::experiments {

inline std::vector<std::map<std::string, std::string>> csv_lines(const std::string& text,
                                                                 const std::string& path) {
  const CsvFile file = parse_csv(text, path);
  std::vector<std::map<std::string, std::string>> lines;
  for (const std::vector<std::string>& fields : file.lines) {
    lines.emplace_back();
    for (std::size_t i = 0; i < fields.size(); ++i) lines.back()[file.columns[i]] = fields[i];
  }
  return lines;
}

}  // namespace ordinal::experiments

// Lines of a CSV file by the names of their columns.
#pragma once

#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "experiments/results/csv.h"

namespace ordinal::experiments {

/// As read_csv(); the names of the columns hold no comma.
inline std::vector<std::map<std::string, std::string>> csv_lines(const std::string& text,
                                                                 const std::string& path) {
  std::vector<std::string> names;
  std::istringstream first(text.substr(0, text.find('\n')));
  for (std::string name; std::getline(first, name, ',');) names.push_back(name);
  std::vector<std::map<std::string, std::string>> lines;
  for (const std::vector<std::string>& fields : read_csv(text, path, names)) {
    lines.emplace_back();
    for (std::size_t i = 0; i < names.size(); ++i) lines.back()[names[i]] = fields[i];
  }
  return lines;
}

}  // namespace ordinal::experiments

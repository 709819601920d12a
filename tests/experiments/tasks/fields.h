// Fixtures of fields with tabs between them.
#pragma once

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "tests/folders.h"

namespace ordinal::experiments {

/// The fields of each line.
inline std::vector<std::vector<std::string>> fields_of(const std::string& fixture) {
  std::ifstream file(fixtures_folder() / fixture);
  std::vector<std::vector<std::string>> lines;
  for (std::string line; std::getline(file, line);) {
    std::istringstream fields(line);
    std::vector<std::string>& values = lines.emplace_back();
    for (std::string value; std::getline(fields, value, '\t');) values.push_back(value);
  }
  return lines;
}

}  // namespace ordinal::experiments

#include "experiments/claims/section_reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "framework/core/part.h"

namespace ordinal::experiments {

std::string SectionReader::value(const std::string& key) const {
  const std::string* found = written_.find(key);
  return found == nullptr ? "" : *found;
}

std::string SectionReader::choice(const std::string& key, const std::vector<std::string>& choices) {
  const std::string got = value(key);
  if (got.empty() || std::ranges::find(choices, got) != choices.end()) return got;
  problem(fmt::format("{}: got '{}', expected {}", key, got, joined(choices, " or ")));
  return "";
}

void SectionReader::problem(const std::string& what) {
  problems_.push_back(fmt::format("{}: [{} {}] {}", written_.origin, written_.kind, written_.id, what));
}

}  // namespace ordinal::experiments

#include "experiments/settings/difference.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "framework/core/text.h"

namespace ordinal::experiments {
namespace {

using Line = std::pair<std::string, std::string>;  // key and value

// In the order of the keys, in which the task and sizes come before the parts whose options follow from them.
std::vector<Line> lines_of(const Metadata& text) {
  std::vector<Line> lines;
  for (const Key& key : all_keys()) {
    if (!text.contains(key.name)) continue;
    std::vector<NamedPart> parts;
    if (key.names_parts()) parts = named_parts(part_kind(key.option.kind), text.at(key.name));
    lines.emplace_back(key.name, parts.empty() ? text.at(key.name) : names_only(parts));
    for (const NamedPart& named : parts)
      for (const auto& option : named.part.options)
        lines.emplace_back(key.name, to_string(Part{named.part.name, {option}}));
  }
  return lines;
}

}  // namespace

std::optional<Difference> first_line(const Metadata& there, const Metadata& here) {
  const std::vector<Line> old = lines_of(there);
  const std::vector<Line> current = lines_of(here);
  const auto [left, right] = std::ranges::mismatch(old, current);
  if (right == current.end()) return std::nullopt;
  return Difference{right->first, left == old.end() ? "nothing" : left->second, right->second};
}

}  // namespace ordinal::experiments

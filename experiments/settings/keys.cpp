#include "experiments/settings/keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <set>
#include <utility>

#include "experiments/settings/parts.h"
#include "experiments/settings/rows.h"
#include "experiments/settings/sections.h"
#include "framework/core/errors.h"

namespace ordinal::experiments {
namespace {

std::vector<Key> built_keys() {
  std::vector<Key> keys;
  const Sections defaults_of_all;
  Sections::visit(defaults_of_all, [&](const std::string& section, const auto& defaults) {
    for (const OptionSpec& option : specs_of(defaults)) keys.push_back({section + "." + option.name, option});
  });
  for (Key& key : keys)
    if (key.names_parts()) key.option.choices = part_kind(key.option.kind).names();
  return keys;
}

// An unknown part, or options that a part cannot have; empty if there are none. Throws ConfigError for a text that names none.
std::string complaint_of_parts(const Key& key, const std::string& value) {
  std::set<std::string> conditions;
  for (const auto& [part, kind, before] : named_parts(part_kind(key.option.kind), value)) {
    const PartInfo* info = kind->find(part.name);
    if (info == nullptr)
      return fmt::format("got '{}'{}, expected one of {}", part.name, did_you_mean(part.name, kind->names()),
                         joined(kind->names()));
    const std::vector<std::string> problems = option_problems(part.name, info->options, part.options);
    if (!problems.empty()) return problems.front();
    if (key.option.kind == "conditions" && !conditions.insert(to_string(part)).second)
      return to_string(part) + " is listed more than once";
  }
  return "";
}

std::string problem_of(const Key& key, const std::string& value) {
  const std::string start = value.substr(0, 200);  // of a longer one, folder_of() keeps as much as fits
  if (key.name == "experiment.name" && folder_of(start) != start)
    return fmt::format(
        "got '{}', expected a folder name of letters, digits and .+-_@:= without . in front, such as {}",
        value, key.option.value);
  const auto shards = key.name == "train.shards" ? parse_integer(value).value_or(0) : 0;
  if (shards > 0 && !std::has_single_bit(static_cast<std::uint64_t>(shards)))
    return fmt::format("got {}, expected a power of two, or 0 for automatic", value);
  const bool may_be_empty =
      key.option.type != OptionType::list || (value.empty() && key.option.value.empty());
  if (!may_be_empty && value.find_first_not_of(" ,") == std::string::npos)
    return fmt::format("got '{}', expected at least one value", value);
  if (!key.names_parts()) return complaint(key.option, value);
  if (key.section() == "finetune" && value == key.option.value) return "";  // as in the first stage
  try {
    return complaint_of_parts(key, value);
  } catch (const ConfigError& error) {
    return error.what();
  }
}

}  // namespace

std::string without_prefix(const std::string& name) {
  for (const std::string& prefix : {tune_prefix, compare_prefix}) {
    if (name.starts_with(prefix)) return name.substr(prefix.size());
  }
  return name;
}

std::string name_in_section(const std::string& key) { return key.substr(key.find('.') + 1); }

const std::vector<Key>& all_keys() {
  static const std::vector<Key> keys = built_keys();
  return keys;
}

const Key* find_key(std::string_view name) {
  const auto found = std::ranges::find(all_keys(), name, &Key::name);
  return found == all_keys().end() ? nullptr : &*found;
}

std::string complaint(const Key& key, const std::string& value) {
  const std::string problem = problem_of(key, value);
  if (problem.empty()) return "";
  if (value.find(" ;") != std::string::npos) return problem + "; a comment begins with #";
  const bool is_compared = key.section() == "task" || key.section() == "model" || key.section() == "train";
  if (is_compared && key.option.type != OptionType::list && split_outside_brackets(value, ',').size() > 1)
    return fmt::format("{0}; several values stand in [compare]: {1} = {2}, or --compare.{1}='{2}'", problem,
                       key.name, value);
  return problem;
}

}  // namespace ordinal::experiments

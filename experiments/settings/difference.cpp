#include "experiments/settings/difference.h"

#include <algorithm>

#include "experiments/settings/parts.h"
#include "framework/core/number.h"

namespace ordinal::experiments {
namespace {

// Two values of a key; if it names parts, the parts and options in which they differ, or the names if those do. Nothing
// if one has options that the other lacks, and those of both are the same.
std::optional<Difference> conflict(const Key& key, const std::string& there, const std::string& here) {
  if (key.kind.empty()) return Difference{key.name, there, here};
  const std::vector<Part> old = parse_parts(there, key.separator());
  const std::vector<Part> current = parse_parts(here, key.separator());
  if (!std::ranges::equal(old, current, {}, &Part::name, &Part::name)) {
    return Difference{key.name, names_only(there, key.separator()), names_only(here, key.separator())};
  }
  std::vector<Part> left;
  std::vector<Part> right;
  for (std::size_t i = 0; i < old.size(); ++i) {
    Part before{old[i].name};
    Part after{old[i].name};
    for (const auto& option : current[i].options) {
      const auto same = old[i].options.find(option.first);
      if (same == old[i].options.end() || same->second == option.second) continue;
      before.options.insert(*same);
      after.options.insert(option);
    }
    if (before.options.empty()) continue;
    left.push_back(std::move(before));
    right.push_back(std::move(after));
  }
  if (left.empty()) return std::nullopt;
  return Difference{key.name, to_string(left, ','), to_string(right, ',')};
}

// The same, and both values as they are if there is nothing to shorten.
Difference shortened(const Key& key, const std::string& there, const std::string& here) {
  return conflict(key, there, here).value_or(Difference{key.name, there, here});
}

// How a message shows a missing value.
std::string shown(const Metadata& metadata, const std::string& key) {
  const auto found = metadata.find(key);
  return found == metadata.end() ? "nothing" : found->second;
}

}  // namespace

std::vector<Difference> all_differences(const Metadata& there, const Metadata& here) {
  Metadata both = there;
  both.insert(here.begin(), here.end());
  std::vector<Difference> differences;
  for (const auto& [name, value] : both) {
    const std::string old = shown(there, name);
    const std::string current = shown(here, name);
    const Key* key = find_key(name);
    const bool cut = key != nullptr && there.contains(name) && here.contains(name);
    if (old != current)
      differences.push_back(cut ? shortened(*key, old, current) : Difference{name, old, current});
  }
  return differences;
}

std::optional<Difference> first_conflict(const Metadata& there, const Metadata& here) {
  for (const auto& [name, value] : there) {
    const auto other = here.find(name);
    const Key* key = find_key(name.substr(name.rfind(' ') + 1));
    const bool is_file = key != nullptr && key->option.type == OptionType::files;
    if (other == here.end() || other->second == value || is_file) continue;
    const Difference whole{name, value, other->second};
    const auto found = key == nullptr ? whole : conflict(*key, value, other->second);
    if (found) return Difference{name, found->there, found->here};
  }
  return std::nullopt;
}

std::optional<Difference> first_difference(const Metadata& there, const std::string& origin, const Plan& plan,
                                           const Metadata& here, Binds last, bool may_be_longer) {
  const auto differ = [&](const std::string& key) -> std::optional<Difference> {
    if (shown(there, key) == shown(here, key)) return std::nullopt;
    return Difference{key, shown(there, key), shown(here, key)};
  };
  // A model trained on other data, or a foreign file, cannot be described as this task.
  if (const auto data = differ("data_hash")) {
    const auto name = there.contains("task.name") ? differ("task.name") : std::nullopt;
    return name ? name : data;
  }
  const Metadata old = Plan(Settings::from_map(there, origin), plan.task).text(last);
  const Metadata current = plan.text(last);
  const bool any_steps = may_be_longer && !make_schedule(current.at("train.schedule")).depends_on_steps();
  for (const bool parts : {false, true}) {  // options of parts may follow from sizes
    for (const auto& [key, value] : current) {
      if (find_key(key)->kind.empty() == parts || old.at(key) == value) continue;
      if (key == "train.steps" && any_steps && parse_integer(value) > parse_integer(old.at(key))) continue;
      return shortened(*find_key(key), old.at(key), value);
    }
  }
  const auto seed = differ("train.seed");
  return seed ? seed : differ("initial_model");
}

}  // namespace ordinal::experiments

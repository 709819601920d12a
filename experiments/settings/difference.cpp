#include "experiments/settings/difference.h"

#include <algorithm>

#include "framework/core/text.h"

namespace ordinal::experiments {
namespace {

// The two values of a key; none if they agree. For a key that names parts: the parts and options that differ, or the names
// if those differ. An option that one side lacks may be from another version. A file may have moved: its hash counts.
std::optional<Difference> conflict(const std::string& name, const std::string& there,
                                   const std::string& here) {
  const Key* key = find_key(name.substr(name.rfind(' ') + 1));
  const bool is_file = key != nullptr && key->option.type == OptionType::files;
  if (there == here || is_file) return std::nullopt;
  if (key == nullptr || key->kind.empty()) return Difference{name, there, here};
  std::vector<NamedPart> left = named_parts(part_kind(key->kind), there);
  std::vector<NamedPart> right = named_parts(part_kind(key->kind), here);
  const auto have_same_positions = [&] {
    return left.back().kind->title == "positions" && left.back().before == right.back().before &&
           to_string(left.back().part) == to_string(right.back().part);
  };
  while (have_same_positions()) {
    left.pop_back();
    right.pop_back();
  }
  if (names_only(left) != names_only(right)) return Difference{name, names_only(left), names_only(right)};
  for (std::size_t i = 0; i < left.size(); ++i) {
    const OptionValues before = left[i].part.options;
    const OptionValues after = right[i].part.options;
    const auto agrees = [&](const auto& option) {
      const auto& [option_name, value] = option;
      return !before.contains(option_name) || !after.contains(option_name) ||
             before.at(option_name) == after.at(option_name);
    };
    std::erase_if(left[i].part.options, agrees);
    std::erase_if(right[i].part.options, agrees);
  }
  const auto is_bare = [](const NamedPart& named) { return named.part.options.empty(); };
  std::erase_if(left, is_bare);
  std::erase_if(right, is_bare);
  if (left.empty()) return std::nullopt;
  return Difference{name, parts_text(left), parts_text(right)};
}

// How a message shows a missing value.
std::string shown(const Metadata& metadata, const std::string& key) {
  const auto found = metadata.find(key);
  return found == metadata.end() ? "nothing" : found->second;
}

}  // namespace

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
  if (version_of(there) != version_of(here))
    return Difference{"version", version_of(there), version_of(here)};
  const Metadata old = Plan(Settings::from_map(there, origin), plan.task).text(last);
  const Metadata current = plan.text(last);
  const bool was_cut =
      old.at("train.warmup") == old.at("train.steps") && old.at("train.warmup") != current.at("train.warmup");
  const bool any_steps = may_be_longer && !was_cut &&
                         !make_schedule(current.at("train.schedule")).depends_on_steps() &&
                         !training_lengths(plan.settings).depends_on_steps();
  for (const bool parts : {false, true}) {  // sizes first: options of parts may follow from them
    for (const auto& [key, value] : current) {
      if (find_key(key)->kind.empty() == parts || old.at(key) == value) continue;
      if (key == "train.steps" && any_steps && parse_integer(value) > parse_integer(old.at(key))) continue;
      return conflict(key, old.at(key), value).value_or(Difference{key, old.at(key), value});
    }
  }
  for (const char* key : {"train.seed", "initial_model", "train.log_every"})
    if (const auto found = differ(key)) return found;
  return std::nullopt;
}

std::string way_out(const Difference& difference) {
  const bool is_longer =
      difference.key == "train.steps" && parse_integer(difference.here) > parse_integer(difference.there);
  if (!is_longer) return "choose another --out, or remove it";
  return "its warm-up, its learning rate, its lengths or its second stage depend on the last step, so train "
         "its checkpoint "
         "further with train --model, or choose another --out";
}

}  // namespace ordinal::experiments

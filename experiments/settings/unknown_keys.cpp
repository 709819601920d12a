// What a name that is no key may mean: the nearest name of a key or an option within a distance.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "experiments/settings/keys.h"
#include "experiments/settings/parts.h"

namespace ordinal::experiments {
namespace {

// What other programs call some keys.
const std::map<std::string, std::string> elsewhere = {
    {"batch_size", "train.batch"},   {"block_size", "task.train_length"}, {"lr", "train.learning_rate"},
    {"max_iters", "train.steps"},    {"max_steps", "train.steps"},        {"n_embd", "model.d_model"},
    {"n_head", "model.heads"},       {"n_heads", "model.heads"},          {"n_layer", "model.layers"},
    {"n_layers", "model.layers"},    {"num_heads", "model.heads"},        {"num_layers", "model.layers"},
    {"seq_len", "task.train_length"}};

// "it is an option of rope, xpos, write …": which of the parts that keys of a section name, or with an empty one which of all
// parts, have an option, and how to set it; empty if none has it.
std::string option_hint(const std::string& section, const std::string& name, const std::string& value) {
  std::vector<std::string> owners;
  std::string example;
  for (const PartKind& kind : part_kinds()) {
    if (!kind.form.starts_with(section)) continue;
    for (const PartInfo& part : kind.parts) {
      if (std::ranges::count(part.options, name, &OptionSpec::name) == 0) continue;
      owners.push_back(part.name);
      const std::string text = to_string(Part{part.name, {{name, value}}});
      if (example.empty()) example = fmt::format(fmt::runtime(kind.form), text);
    }
  }
  return owners.empty() ? "" : fmt::format(": it is an option of {}, write {}", joined(owners), example);
}

std::string expected_in(const std::string& section, const std::string& outside) {
  std::vector<std::string> sections;
  std::vector<std::string> names;
  for (const Key& key : all_keys()) {
    if (std::ranges::find(sections, key.section()) == sections.end()) sections.push_back(key.section());
    if (!section.empty() && key.name.starts_with(section)) names.push_back(name_in_section(key.name));
  }
  return names.empty() ? ", expected " + outside + "a key of " + joined(sections)
                       : ", expected one of " + joined(names);
}

}  // namespace

std::string hint_for(const std::string& given, const std::string& value,
                     const std::vector<std::string>& options, const std::string& dashes,
                     const std::function<bool(const Key&)>& is_read) {
  const std::string full = without_prefix(given);
  const std::string name = name_in_section(full);
  const std::string section = full.substr(0, full.size() - name.size());
  const std::string prefix = given.substr(0, given.size() - full.size());
  const auto other = elsewhere.find(name);
  if (other != elsewhere.end()) return fmt::format(": write {}{}{}", dashes, prefix, other->second);
  std::vector<std::string> known = options;
  for (const Key& key : all_keys())
    if (!is_read || is_read(key)) known.push_back(key.name);
  // Clang 14 cannot return the rest that std::ranges::stable_partition gives.
  const auto own = std::stable_partition(known.begin(), known.end(),
                                         [&](const std::string& one) { return one.starts_with(section); }) -
                   known.begin();
  std::vector<std::string> names;
  for (const std::string& one : known) names.push_back(name_in_section(one));
  for (const std::string& owner : {section, std::string()}) {
    if (owner.empty() && std::ranges::count(names, name) > 0) continue;  // it is a key of another section
    if (owner.empty() && own > 0 && !did_you_mean(name, {names.begin(), names.begin() + own}).empty()) break;
    const std::string hint = option_hint(owner, name, prefix.empty() && !value.empty() ? value : "…");
    if (!hint.empty()) return hint;
  }
  const std::string outside = options.empty() ? "" : dashes + joined(options, ", " + dashes) + ", or ";
  for (const auto count : {own, std::ssize(names)}) {
    const std::vector<std::string> some(names.begin(), names.begin() + count);
    if (some.empty() || did_you_mean(name, some).empty()) continue;
    if (own > 0 && count > own && std::ranges::count(some, name) == 0) continue;  // its section is known
    const auto meant = std::ranges::find(some, nearest(name, some)) - some.begin();
    return fmt::format(" (did you mean {}{}{}?)", dashes, dashes.empty() ? "" : prefix,
                       known[static_cast<std::size_t>(meant)]);
  }
  return expected_in(section, outside);
}

}  // namespace ordinal::experiments

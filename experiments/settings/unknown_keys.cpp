// What a name that is no key may mean: the nearest name of a key or an option within a distance.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "experiments/settings/keys.h"
#include "experiments/settings/parts.h"

namespace ordinal::experiments {
namespace {

using ByName = std::map<std::string, std::string, std::less<>>;

// The keys for names of other programs.
const ByName elsewhere = {
    {"lr", "train.learning_rate"},    {"batch_size", "train.batch"},    {"epochs", "train.steps"},
    {"max_steps", "train.steps"},     {"hidden_size", "model.d_model"}, {"num_layers", "model.layers"},
    {"n_layers", "model.layers"},     {"num_heads", "model.heads"},     {"n_heads", "model.heads"},
    {"seq_len", "task.train_length"}, {"dataset", "task.name"}};

// What to use instead of keys and options of the version before: {0} is compare. or nothing, {1} the value.
const ByName formerly = {
    {"positional.encoding", "write {0}model.encoding = {1}"},
    {"positional.encodings", "write compare.model.encoding = {1}"},
    {"positional.train_length", "write {0}model.train_length = {1}"},
    {"positional.dropout", "write {0}model.positional_dropout = {1}"},
    {"positional.positions", "positions stand behind @, write {0}model.encoding = rope@{1}"},
    {"positional.test_positions", "positions stand behind @, write {0}model.encoding = rope@contiguous:{1}"},
    {"finetune.positions", "positions stand behind @, write {0}finetune.encoding = rope@{1}"},
    {"experiment.seed", "write experiment.seeds = {1}, with a comma"},
    {"completion", "--help shows all options and keys, --list NAME a part with its options"},
    {"plan-ranks", "progress shows the time left after the first training"}};

// A name that something has: a key or, if that is empty, an option of parts.
struct Known {
  std::string name;
  std::string section;  // "train."; empty outside the sections
  std::string key;
};

// Those of the section first.
std::vector<Known> known_names(const std::string& section, const std::vector<std::string>& options) {
  std::vector<Known> known;
  for (const std::string& option : options) known.push_back({option, "", option});
  for (const auto& [name, key] : elsewhere) known.push_back({name, "", key});
  for (const Key& key : all_keys())
    known.push_back({name_in_section(key.name), key.section() + ".", key.name});
  for (const PartKind& kind : part_kinds()) {
    for (const PartInfo& part : kind.parts) {
      for (const OptionSpec& option : part.options)
        known.push_back({option.name, kind.form.substr(0, kind.form.find('.') + 1), ""});
    }
  }
  // Clang 14 cannot return the rest that std::ranges::stable_partition gives.
  std::stable_partition(known.begin(), known.end(), [&](const Known& one) { return one.section == section; });
  return known;
}

// "it is an option of rope, xpos, write …": which of the parts that keys of a section name, or with an empty one which of all
// parts, have an option, and how to set it.
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
  return fmt::format(": it is an option of {}, write {}", joined(owners), example);
}

std::string expected_in(const std::string& section, const std::string& outside) {
  std::vector<std::string> sections;
  std::vector<std::string> names;
  for (const Key& key : all_keys()) {
    if (std::ranges::find(sections, key.section()) == sections.end()) sections.push_back(key.section());
    if (key.name.starts_with(section)) names.push_back(name_in_section(key.name));
  }
  const bool is_section = !section.empty() && !names.empty();
  return is_section ? ", expected one of " + joined(names)
                    : ", expected " + outside + "a key of " + joined(sections);
}

}  // namespace

std::string hint_for(const std::string& given, const std::string& value,
                     const std::vector<std::string>& options, const std::string& dashes) {
  const std::string full = without_prefix(given);
  const std::string name = full.substr(full.rfind('.') + 1);
  const std::string section = full.substr(0, full.size() - name.size());
  const std::string prefix = given.substr(0, given.size() - full.size());
  const auto now = formerly.find(full);
  if (now != formerly.end()) return ": " + fmt::format(fmt::runtime(now->second), prefix, value);
  const std::vector<Known> known = known_names(section, options);
  std::vector<std::string> names;
  for (const Known& one : known) names.push_back(one.name);
  const std::string hint = did_you_mean(name, names);
  const std::string outside = options.empty() ? "" : dashes + joined(options, ", " + dashes) + ", or ";
  if (hint.empty()) return expected_in(section, outside);
  const Known& meant = *std::ranges::find(known, nearest(name, names), &Known::name);
  if (!meant.key.empty()) return fmt::format(" (did you mean {}{}?)", dashes, meant.key);
  return (meant.name == name ? "" : hint) + option_hint(meant.section == section ? section : "", meant.name,
                                                        prefix.empty() && !value.empty() ? value : "…");
}

}  // namespace ordinal::experiments

// What a name that is no key may mean.
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

std::string section_of(const std::string& name) {
  return name.substr(0, std::min(name.find('.'), name.size()));
}

std::string expected_in(const std::string& section) {
  std::vector<std::string> sections;
  std::vector<std::string> names;
  for (const Key& key : all_keys()) {
    if (std::ranges::find(sections, key.section()) == sections.end()) sections.push_back(key.section());
    if (key.section() == section) names.push_back(name_in_section(key.name));
  }
  return names.empty() ? ", expected a key of " + joined(sections) : ", expected one of " + joined(names);
}

// The nearest name of its section if it is near, else all that were expected. Without a section, of all sections.
std::string near(const std::string& name, const std::string& value, std::vector<std::string> known,
                 const auto& meant) {
  const std::string bare = name_in_section(name);
  const std::string section = bare == name ? "" : section_of(name) + ".";
  if (!section.empty()) known.clear();
  for (const Key& key : all_keys())
    if (key.name.starts_with(section)) known.push_back(key.name);
  std::vector<std::string> compared = known;
  std::ranges::transform(known, compared.begin(), name_in_section);
  for (const PartKind& kind : part_kinds()) {
    for (const PartInfo& part : kind.parts) {
      for (const OptionSpec& option : part.options)
        if (kind.form.starts_with(section)) compared.push_back(option.name);
    }
  }
  if (did_you_mean(bare, compared).empty()) return expected_in(section_of(name));
  const std::string nearest_one = nearest(bare, compared);
  const auto place = static_cast<std::size_t>(std::ranges::find(compared, nearest_one) - compared.begin());
  if (place < known.size()) return meant(known[place]);
  return fmt::format(" (did you mean {}?): {}", nearest_one, option_hint(section, nearest_one, value));
}

}  // namespace

std::string hint_for(const std::string& given, const std::string& value,
                     const std::vector<std::string>& options, const std::string& dashes) {
  const std::string name = without_prefix(given);
  const std::string bare = name.substr(name.rfind('.') + 1);
  const std::string prefix = given.substr(0, given.size() - name.size());
  const std::string shown = prefix.empty() && !value.empty() ? value : "…";
  const auto meant = [&](const std::string& key) {
    return fmt::format(" (did you mean {}{}?)", dashes, key);
  };
  const auto now = formerly.find(name);
  if (now != formerly.end()) return ": " + fmt::format(fmt::runtime(now->second), prefix, value);
  const bool has_section = bare != name;
  const std::string of_section = has_section ? option_hint(section_of(name) + ".", bare, shown) : "";
  if (!of_section.empty()) return ": " + of_section;
  const auto key = elsewhere.find(bare);
  if (key != elsewhere.end()) return meant(key->second);
  for (const Key& known : all_keys()) {
    if (name_in_section(known.name) == bare) return meant(known.name);
  }
  const std::string of_any = option_hint("", bare, shown);
  return of_any.empty() ? near(name, shown, options, meant) : ": " + of_any;
}

}  // namespace ordinal::experiments

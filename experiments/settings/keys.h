// Every key that a config file or a command line may set, from the structs of sections.h. Options of parts have no keys: they stand in
// the brackets of their part (parts.h). All drivers know all keys, so a file written for one is accepted by another.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "framework/core/options.h"

namespace ordinal::experiments {

/// The key of an encoding with its positions: rope@contiguous:yarn.
inline const std::string encoding_key = "model.encoding";

struct Key {
  std::string name;           // "section.key"; "out" for an option outside the sections
  OptionSpec option;          // type, default, help, range
  std::string argument = {};  // outside the sections: what --help calls its value, " FILE"; empty: a switch

  std::string section() const { return name.substr(0, name.find('.')); }
  /// Whether it is in one of the sections that a checkpoint contains.
  bool is_of_model() const { return section() == "task" || section() == "model"; }
  bool names_parts() const { return !option.kind.empty(); }
  bool is_outside() const { return name.find('.') == std::string::npos; }
  bool takes_value() const { return !is_outside() || !argument.empty(); }
};

/// The sections [kind ID] and what they say that is no key of settings: all, but for rows.
inline const std::map<std::string, std::vector<std::string>> named_sections = {
    {"row", {}},
    {"claim", {"words", "statement", "source", "registered", "looks", "again", "note"}},
    {"withdrawn", {"words", "reason", "then"}}};

/// The prefixes of a key whose values are compared, or whose best value is chosen.
inline const std::string compare_prefix = "compare.";
inline const std::string tune_prefix = "compare.tune.";

/// A name without one of these prefixes.
std::string without_prefix(const std::string& name);

/// A key without its section: "d_model" for model.d_model.
std::string name_in_section(const std::string& key);

/// All keys, in the order of --help and of resolved.cfg.
const std::vector<Key>& all_keys();

/// The key of that name, or null.
const Key* find_key(std::string_view name);

/// The key of a name with or without a prefix; null if there is none.
inline const Key* key_behind(const std::string& name) { return find_key(without_prefix(name)); }

/// The end of a message about a name that is no key: how an option of a part is written, the nearest known name if it is near,
/// or else the names that were expected. `options` are those outside the sections, of which suggestions begin with `dashes`, as
/// do keys; of these only what `is_read` is suggested.
std::string hint_for(const std::string& name, const std::string& value,
                     const std::vector<std::string>& options = {}, const std::string& dashes = "",
                     const std::function<bool(const Key&)>& is_read = {});

/// Empty if the key may have `value`; else what was got and expected.
std::string complaint(const Key& key, const std::string& value);

}  // namespace ordinal::experiments

// Every key that a config file or a command line may set. The settings of a run are listed in keys.cpp; the
// options of parts come from the parts. All drivers know all keys, so a file written for one is accepted by
// another.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "framework/core/options.h"

namespace ordinal::experiments {

/// The keys of an encoding and of its positions, which may also be given with the encoding: rope@yarn.
inline const std::string encoding_key = "positional.encoding";
inline const std::string training_key = "positional.positions";
inline const std::string test_key = "positional.test_positions";

struct Key {
  std::string name;       // "section.key"; "out" for an option outside the sections
  OptionSpec option;      // type, default, help, range
  std::string kind = {};  // of the parts that its value names: "positional encodings"; else empty
  std::vector<std::string> parts = {};    // an option: the parts that have it; empty for a setting of a run
  std::vector<OptionSpec> variants = {};  // and the specification of each
  std::string short_for = {};             // the key for which it is a short form; else empty
  std::string argument = {};  // outside the sections: what --help calls its value; empty: a switch

  std::string section() const { return name.substr(0, name.find('.')); }
  bool is_option() const { return !parts.empty(); }
  /// Whether it is in one of the sections that a checkpoint contains.
  bool is_of_model() const {
    return section() == "task" || section() == "model" || section() == "positional";
  }
  bool is_outside() const { return name.find('.') == std::string::npos; }
  bool takes_value() const { return !is_outside() || !argument.empty(); }
  /// The separator between the parts that its value names.
  char separator() const { return kind == "positional encodings" ? '+' : ','; }
  /// What it sets: keys with the same target exclude each other.
  const std::string& target() const { return short_for.empty() ? name : short_for; }
};

/// A key without its section: "d_model" for model.d_model.
std::string name_in_section(const std::string& key);

/// All keys, in the order of --help and of resolved.cfg.
const std::vector<Key>& all_keys();

/// The key of that name, or null.
const Key* find_key(std::string_view name);

/// The key, or one of `others`, that an unknown name may mean: the key for a name from other programs, or the nearest one.
/// A name without a section is compared with the keys of all sections.
std::string meant_by(const std::string& name, const std::vector<std::string>& others = {});

/// Empty if the key may have `value`; else what was got and expected. An option may have
/// a value if one of its parts accepts it.
std::string complaint(const Key& key, const std::string& value);

}  // namespace ordinal::experiments

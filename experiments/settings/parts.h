// Every kind of part that a config can name, with all its parts and their options: the source of config keys,
// --help and --list. Each part is declared where it is defined.
#pragma once

#include <string>
#include <vector>

#include "framework/core/part.h"

namespace ordinal::experiments {

/// Describes one part of any kind.
struct PartInfo {
  std::string name;
  std::string summary;
  std::vector<std::string> facts = {};  // further lines of --list
  std::vector<OptionSpec> options = {};
  std::string definition = {};  // also shown by --list NAME: formulas, names and shapes of parameters
  // Resolves its options for a model; null if none of them depends on the model.
  std::vector<OptionSpec> (*resolve)(const Part&, const ModelShape&) = nullptr;

  /// All options of `part`, which is of this kind, with their values in a model of that shape.
  std::vector<OptionSpec> in_effect(const Part& part, const ModelShape& shape) const;
};

struct PartKind {
  std::string title;    // "positional encodings"
  std::string section;  // of the keys that set its options: "positional"
  std::string keys;     // the keys that name such parts, as text for the user
  std::vector<PartInfo> parts;

  /// Whether `name` is the title, its last word, or either of them in the singular.
  bool is_called(const std::string& name) const;
  /// The part of that name, or null.
  const PartInfo* find(const std::string& name) const;
  std::vector<std::string> names() const;
};

/// All kinds. Registering a part after the first call is too late: it would have no keys.
const std::vector<PartKind>& part_kinds();

/// The kind with that title.
const PartKind& part_kind(const std::string& title);

/// The kind of the parts that an option of type part may name, apart from `none` for no part.
const PartKind& kind_of_option(const OptionSpec& option);

/// The names of several parts without their options.
std::string names_only(const std::string& text, char separator);

/// The text of --list: all kinds, or the part of that name. Throws ConfigError if there is none.
std::string list_text(const std::string& name);

}  // namespace ordinal::experiments

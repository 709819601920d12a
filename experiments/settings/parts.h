// Every kind of part that a config can name, with all its parts and their options, which stand in the brackets of a part
// and nowhere else: rope(base=500). Each part is declared where it is defined.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "framework/core/options.h"

namespace ordinal::experiments {

/// A value as results hold it: 0.003 and 3e-3 are the same number.
std::string canonical(OptionType type, const std::string& value);

/// Describes one part of any kind.
struct PartInfo {
  std::string name;
  std::string summary;  // one line; of an encoding, a line for each fact
  std::vector<OptionSpec> options = {};
  std::string definition = {};  // also shown by --list NAME: formulas, names and shapes of parameters
  // Resolves its options for a model; null if none of them depends on the model.
  std::vector<OptionSpec> (*resolve)(const Part&, const ModelShape&) = nullptr;

  /// All options of `part`, which is of this kind, with their values in a model of that shape.
  std::vector<OptionSpec> in_effect(const Part& part, const ModelShape& shape) const;
};

struct PartKind {
  std::string title;  // "positional encodings"
  std::string keys;   // the keys that name such parts, as text for the user
  std::string form;   // how a setting names one: "train.optimizer = {}"; empty if no setting does
  char separator;     // between several parts in one value; 0: a value names one
  std::vector<PartInfo> parts;

  /// The part of that name, or null.
  const PartInfo* find(const std::string& name) const;
  std::vector<std::string> names() const;
};

/// All kinds. Registering a part after the first call is too late: no setting could name it.
const std::vector<PartKind>& part_kinds();

/// The kind with that title.
const PartKind& part_kind(const std::string& title);

/// A part that a value names, and the separator before it: in "rope+t5@yarn", t5 stands after + and yarn after @.
struct NamedPart {
  Part part;
  const PartKind* kind = nullptr;
  char before = '\0';  // nothing before the first
};

/// The parts that a value of this kind names. Behind @ an encoding may name position schemes; the lengths behind that of a condition are
/// left out. Throws ConfigError.
std::vector<NamedPart> named_parts(const PartKind& kind, const PartList& value);
PartList to_list(const std::vector<NamedPart>& parts);
/// The same as text, without options.
std::string names_only(std::vector<NamedPart> parts);

/// "encoding@training:test" in pieces. Without training positions they are contiguous, and without test positions those of
/// training.
struct PlacedEncoding {
  PartList encoding;
  std::optional<PartList> training = {};
  std::optional<PartList> test = {};

  std::string text() const;
};
/// Throws ConfigError for more pieces.
PlacedEncoding placed_encoding(const PartList& value);

/// A condition and the lengths at which models are tested under it: "window(size=64)@4x+8x". None: all lengths.
struct LimitedCondition {
  Part condition;
  std::vector<std::string> lengths = {};
};
std::vector<LimitedCondition> limited_conditions(const PartList& value);

/// The text of --list: all kinds, or the part of that name. Throws ConfigError if there is none.
std::string list_text(const std::string& name);

}  // namespace ordinal::experiments

// What an experiment compares: rows, each a label and a complete set of settings. [compare] makes a row of
// every combination of its values, [row NAME] sections add rows that are written out.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "experiments/settings/settings.h"

namespace ordinal::experiments {

struct Row {
  std::string label;   // "rope(base=500)", "rope, d_model = 64" or the NAME of a written row
  std::string folder;  // the label as a name of a folder
  std::vector<std::pair<std::string, std::string>>
      factors;                        // (key, value) of a combination; none if written out
  Settings settings;                  // compares nothing
  std::vector<std::string> own = {};  // keys that the row sets itself, whatever is given for all rows
};

/// A value for each of some keys.
using Combination = std::vector<std::pair<std::string, std::string>>;

/// Every combination of the values of all factors, those of the last changing fastest.
std::vector<Combination> combinations(const std::vector<Factor>& factors);

/// The rows of an experiment: the encodings of positional.encodings if nothing else is compared. Throws
/// ConfigError for two rows of the same label, or a key that cannot differ between rows.
std::vector<Row> rows_of(const Settings& settings);

/// A label as the name of a folder that needs no quotes in a shell: "rope_base=500", "rope_d_model=64".
std::string folder_of(const std::string& label);

/// Whether rows may differ in this key.
bool is_comparable(const Key& key);

/// A run that was asked to be shorter than the warm-up of a default or of another file is warmed up to its
/// end.
void fit_warmup(Settings& settings);

}  // namespace ordinal::experiments

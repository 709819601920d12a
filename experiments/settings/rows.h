// What an experiment compares: rows, each with a label and a complete set of settings. [compare] makes a row
// for every combination of its values; each [row NAME] section adds one explicit row.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "experiments/settings/plan.h"
#include "experiments/settings/settings.h"

namespace ordinal::experiments {

struct Row {
  std::string label;   // "rope(base=500)", "rope, d_model = 64" or the NAME of a written row
  std::string folder;  // the label as a name of a folder
  std::vector<std::pair<std::string, std::string>>
      factors;                        // (key, value) of a combination; none if written out
  Settings settings;                  // without [compare] and [row]
  std::vector<std::string> own = {};  // keys that the row sets itself, overriding those for all rows
};

/// A value for each of some keys.
using Combination = std::vector<std::pair<std::string, std::string>>;

/// Every combination of the values of all factors, those of the last changing fastest.
std::vector<Combination> combinations(const std::vector<Factor>& factors);

/// The rows of an experiment: the encodings of positional.encodings if nothing else is compared. Throws
/// ConfigError for two rows of the same label, or a key that cannot differ between rows.
std::vector<Row> rows_of(const Settings& settings);

/// How a label shows the value of a key: "rope" for an encoding, "d_model = 64" for another key.
std::string label_of(const std::string& key, const std::string& value);

/// Gives each row a folder, which does not depend on the order of rows: where two would share one, both get a mark of their
/// labels.
void name_folders(std::vector<Row>& rows);

/// The name of a file or folder; of a long one the beginning and a mark, so that it stays one with what pictures append.
std::string bounded_name(const std::string& name);

/// A label as a folder name that needs no quotes in a shell: "rope_base=500", "rope_d_model=64". Bounded, too.
std::string folder_of(const std::string& label);

/// Whether rows may differ in this key.
bool is_comparable(const Key& key);

/// If a run is shorter than a warm-up from a default or another file, the warm-up is cut to the run.
void fit_warmup(Settings& settings);

/// The encoding and its positions as an entry of positional.encodings: "rope", "rope(base=500)",
/// "rope@contiguous:yarn". Options that have the value that they would have if nobody set them are left out, those of
/// nested parts, too. As it is written, where that is shorter: "rope(base=auto)", "rope@randomized".
std::string entry_text(const Plan& plan);

/// The keys in which they differ, in the order of all keys.
std::vector<std::string> differing_keys(const std::vector<Plan>& rows);

/// For each of them, its values of the keys that tell them apart: "positional.encoding" with an entry, also where only
/// positions differ; then the others, without those that follow from them. A single one, or several that are equal, have
/// their entry.
std::vector<Combination> distinguishing_values(const std::vector<Plan>& rows);

}  // namespace ordinal::experiments

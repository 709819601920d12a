// What an experiment compares: rows, each with a label and a complete set of settings. [compare] makes a row
// for every combination of its values; each [row NAME] section adds one explicit row.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "experiments/settings/plan.h"
#include "experiments/settings/settings.h"

namespace ordinal::experiments {

/// Keys with one value each.
using Combination = std::vector<std::pair<std::string, std::string>>;

struct Row {
  std::string label;    // "rope(base=500)", "rope, d_model = 64" or the NAME of a written row
  std::string folder;   // the label as a folder name
  Combination factors;  // none if written out
  Settings settings;    // without [compare] and [row]
};

/// Every combination of the values of all factors; the last factor changes fastest.
std::vector<Combination> combinations(const std::vector<Factor>& factors);

/// The rows of an experiment; if nothing is compared, one that is named after its encoding. A row's folder does not depend on
/// the order of rows. Throws ConfigError for two rows of the same label.
std::vector<Row> rows_of(const Settings& settings);

/// How a label shows the value of a key: "rope" for an encoding, "d_model = 64" for another key.
std::string label_of(const std::string& key, const std::string& value);

/// A label as a folder name that needs no quotes in a shell: "rope_base=500", "rope_d_model=64". A long one is cut and gets a
/// hash, so that it stays valid with what pictures append.
std::string folder_of(const std::string& label);

/// Whether rows may differ in this key.
bool is_comparable(const Key& key);

}  // namespace ordinal::experiments

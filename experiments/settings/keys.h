// Every key that a config file or a command line may hold, in one table. All drivers know all keys, so a file
// written for one is accepted by another.
#pragma once

#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace ordinal {

/// A list is one value with commas; files are values of a key that may be repeated, joined by newlines.
enum class KeyType { integer, real, flag, choice, text, list, files };

struct Key {
  std::string name;  // "section.key"
  KeyType type = KeyType::text;
  std::string fallback;  // the default, as one would write it
  std::string help;
  double low = -std::numeric_limits<double>::infinity();  // integer and real: smallest and
  double high = std::numeric_limits<double>::infinity();  // largest value
  std::vector<std::string> choices;                       // choice

  std::string section() const { return name.substr(0, name.find('.')); }
};

/// All keys, in the order of --help and of resolved.cfg.
const std::vector<Key>& all_keys();

/// The key of that name, or null.
const Key* find_key(std::string_view name);

/// Of `candidates` the one with the smallest edit distance to `name`.
std::string nearest(std::string_view name, const std::vector<std::string>& candidates);

/// An empty text if `value` is one that the key may have; else what was got and expected.
std::string complaint(const Key& key, const std::string& value);

}  // namespace ordinal

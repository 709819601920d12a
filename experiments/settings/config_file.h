// The contents of a config file or a command line. A file has sections, lines `key = value`, and comments after #.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "experiments/settings/keys.h"

namespace ordinal::experiments {

/// A message on one line, for any input.
std::string one_line(std::string text);

/// `section.key`, or an option outside the sections, as written.
struct ConfigEntry {
  std::string key;
  std::string value;
  std::string origin;     // "configs/x.cfg:12" or "command line"
  std::string kind = {};  // "row" or "claim" in a section [kind ID]; in a row, the key is the full one
  std::string id = {};
  std::string problem = {};  // the line that reports it, if it cannot be used

  /// A line that reports it.
  std::string complaint(const std::string& why) const;
};

/// The entries of one file or command line, in order.
struct Source {
  std::vector<ConfigEntry> entries = {};

  /// Adds an entry of a key or an option, or with null, of a section of another kind. If a key takes several files, a
  /// repeated one is appended to the earlier ones, on its own line. It is a problem if a key is repeated in a file, or if
  /// resolved.cfg or a checkpoint could not store the value.
  void add(ConfigEntry entry, const Key* key);
  /// Adds a problem: something that cannot be read.
  void add_problem(const std::string& problem);

  std::vector<std::string> problems() const;

 private:
  std::map<std::string, std::size_t> first_ = {};  // entries, by section and key
};

/// The keys of a section of a kind: statement, source, … for "claim"; else none.
const std::vector<std::string>& section_keys(const std::string& kind);

/// Reads a file. An unknown or repeated key, or a line that is neither a key nor a section, is a problem.
Source read_config_file(const std::string& path);
/// The same for a text.
Source read_config_text(const std::string& text, const std::string& path);

}  // namespace ordinal::experiments

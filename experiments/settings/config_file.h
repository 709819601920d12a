// One config file: sections, `key = value`, comments after #.
#pragma once

#include <string>
#include <vector>

namespace ordinal::experiments {

/// `section.key` as it stands in a file.
struct ConfigEntry {
  std::string key;
  std::string value;
  std::string origin;     // "configs/x.cfg:12"
  std::string row = {};   // NAME of a section [row NAME], in which the key stands in full
  std::string kind = {};  // "claim" in a section [claim ID], in which the key is one of section_keys("claim")
  std::string id = {};
};

/// What a file says, and what is wrong with it.
struct ConfigFile {
  std::vector<ConfigEntry> entries;     // in order
  std::vector<std::string> problems;    // one line each
  std::vector<std::string> wrong_keys;  // of which a problem was reported
  bool all_read = true;                 // false: what is missing may well have been written
};

/// What a section of a kind may say: "claim" a statement, source, …; "published" rows, metric, …; none of another kind.
const std::vector<std::string>& section_keys(const std::string& kind);

/// Reads a file. An unknown or repeated key, or a line that is none, is a problem; what is left is returned.
ConfigFile read_config_file(const std::string& path);
/// The same for a text.
ConfigFile read_config_text(const std::string& text, const std::string& path);

}  // namespace ordinal::experiments

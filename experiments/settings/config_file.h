// One config file: sections, `key = value`, comments after #.
#pragma once

#include <string>
#include <vector>

namespace ordinal {

/// `section.key` as it stands in a file.
struct ConfigEntry {
  std::string key;
  std::string value;
  std::string origin;  // "configs/x.cfg:12"
};

/// The entries of a file in order. Problems (unreadable file, unknown or repeated key, a line that is none)
/// are added to `problems`, one line each; what is left is returned.
std::vector<ConfigEntry> read_config_file(const std::string& path, std::vector<std::string>& problems);

/// The same for a text.
std::vector<ConfigEntry> read_config_text(const std::string& text, const std::string& path,
                                          std::vector<std::string>& problems);

}  // namespace ordinal

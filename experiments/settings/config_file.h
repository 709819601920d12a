// The contents of a config file or a command line. A file has sections, lines `key = value`, and comments after #.
#pragma once

#include <string>
#include <vector>

#include "experiments/settings/keys.h"

namespace ordinal::experiments {

/// A message on one line, for any input.
std::string one_line(std::string text);

/// `section.key`, or an option outside the sections, as written. An empty key is the head of a section [kind ID].
struct ConfigEntry {
  std::string key = {};
  std::string value = {};
  std::string origin = {};  // "configs/x.cfg:12" or "command line"
  std::string kind = {};    // that of a section [kind ID]; in a row, the key is the full one
  std::string id = {};
  std::string problem = {};  // the line that reports it, if it cannot be read

  /// "[kind ID] key", or the key.
  std::string name() const;
  /// A line that reports it.
  std::string complaint(const std::string& why) const;
  /// Why resolved.cfg or a checkpoint could not store it, with its key or null; empty if they can.
  std::string why_unfit(const Key* known) const;
};

/// The entries of one file or command line, in order.
using Source = std::vector<ConfigEntry>;

/// Reads a file. A line that is neither a key nor a section is a problem.
Source read_config_file(const std::string& path);
/// The same for a text.
Source read_config_text(const std::string& text, const std::string& path);

}  // namespace ordinal::experiments

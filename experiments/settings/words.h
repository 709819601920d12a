// The words of a command line as Boost.Program_options reads them, extended: reports all problems at once,
// suggests the nearest known option, does not accept abbreviations.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "experiments/settings/command_line.h"
#include "experiments/settings/config_file.h"

namespace ordinal::experiments {

struct Words {
  std::vector<ConfigEntry> entries;                           // settings, in order
  std::vector<std::string> config_files;                      // of --config
  std::vector<std::pair<std::string, std::string>> switches;  // options outside the sections, with values
  std::vector<std::string> given;                             // names of those, with or without a value
  std::vector<std::string> problems;                          // one line each
  std::vector<std::string> wrong_keys;                        // of which a problem was reported
  bool all_read = true;                                       // false: a missing option may have been given
};

/// A message on one line, for any input.
std::string one_line(std::string text);

/// A word as a shell reads it, in quotes where it needs them; control characters as $'\x1b', which bash and zsh know.
std::string quoted_for_shell(const std::string& word);

/// Parses the words after the program name.
Words read_words(const std::vector<std::string>& words, const DriverDescription& driver);

}  // namespace ordinal::experiments

// The words of a command line as Boost.Program_options reads them, extended: reports all problems at once,
// suggests the nearest known option, does not accept abbreviations.
#pragma once

#include <string>
#include <vector>

#include "experiments/settings/command_line.h"
#include "experiments/settings/config_file.h"

namespace ordinal::experiments {

/// A message on one line, for any input.
std::string one_line(std::string text);

/// A word as a shell reads it, in quotes where it needs them; control characters as $'\x1b', which bash and zsh know.
std::string quoted_for_shell(const std::string& word);

/// Parses the words after the program name: keys, and the driver's options outside the sections.
Source read_words(const std::vector<std::string>& words, const DriverDescription& driver);

}  // namespace ordinal::experiments

// The words of a command line.
#pragma once

#include <string>
#include <vector>

#include "experiments/settings/command_line.h"

namespace ordinal::experiments {

/// Reads words with Boost.Program_options, without abbreviations: options outside the sections, and keys. What is neither is a
/// problem.
Source read_words(const std::vector<std::string>& words, const DriverDescription& driver);

/// A word as a shell reads it, quoted where necessary; control characters as $'\x1b', which bash and zsh understand.
std::string quoted_for_shell(const std::string& word);

}  // namespace ordinal::experiments

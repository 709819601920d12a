// Command-line completion in bash and zsh. The script of --completion is the same for all programs. It asks the program
// how the word before the cursor can be completed, so your own program completes its own parts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "experiments/settings/command_line.h"

namespace ordinal::experiments {

/// `extrapolation --complete WORD...` prints completions_text().
inline constexpr std::string_view complete_option = "--complete";

/// Asks for file names instead of, or in addition to, other completions.
inline constexpr std::string_view files_line = ":files";

/// Completions of the last of `words`, one per line: an option, the beginning of a key up to its next dot, a key
/// with `=`, or a value with the text before it in the word. A part in a value may be followed by its options:
/// "--positional.encoding=rope(ba" becomes "--positional.encoding=rope(base=".
std::string completions_text(const DriverDescription& driver, const std::vector<std::string>& words);

/// The script for a program and for experiments/run; `shell` is bash or zsh.
std::string completion_script(const std::string& program, const std::string& shell);

}  // namespace ordinal::experiments

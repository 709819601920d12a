// The three standard streams, any of which may be closed, full or a broken pipe.
#pragma once

#include <string>

namespace ordinal::experiments {

/// Prepares them, at the start of a program: a closed one becomes /dev/null, so that no file of results gets its number,
/// and writing to a broken pipe is an error of that write, not the end of the process.
void prepare_streams();

/// Prints on stderr as far as that can be done. What is said there is never worth losing results for.
void say_on_stderr(const std::string& text);

/// Whether everything that was printed on stdout arrived. If not, says so on stderr, with the reason.
bool stdout_is_whole(const std::string& program);

}  // namespace ordinal::experiments

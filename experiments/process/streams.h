// The three standard streams, each of which may be closed, full or a broken pipe, and their terminals.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace ordinal::experiments {

/// To be called at the start of a program. Opens /dev/null for a closed stream, so that no result file gets its number.
/// Makes a write to a broken pipe fail instead of ending the process.
void prepare_streams();

/// Print lines of text. Control characters, which external names may contain, are shown as \x1b; line breaks and tabs stay.
/// Failures on stderr are ignored: no message is worth losing results for.
void say_on_stdout(const std::string& text);
void say_on_stderr(const std::string& text);

/// Print text that itself moves the cursor or sets colors, and contains no control characters from elsewhere.
void draw_on_stdout(const std::string& text);
void draw_on_stderr(const std::string& text);

/// Prints a result whose bytes matter: unchanged to a file or a pipe, like say_on_stdout() on a terminal.
void give_on_stdout(const std::string& text);
/// The same for an answer such as that of --help. A reader like `head` may read only the beginning.
/// Throws std::runtime_error if printing fails for any other reason.
void answer_on_stdout(const std::string& text);

/// Whether everything printed on stdout was written. If not, says so on stderr, with the reason.
bool stdout_is_whole(const std::string& program);

/// What a terminal can show. Never cached: a window may change its size at any time.
struct Terminal {
  std::size_t columns = 80;
  bool moves = true;    // its cursor can be moved: TERM is set, and not dumb
  bool colors = false;  // `moves`, and NO_COLOR is not set (no-color.org)
};

/// The terminal that a stream such as STDERR_FILENO writes to; nothing if it is a file or a pipe.
std::optional<Terminal> terminal_of(int stream);

enum class Style { bold, dim, red };

/// The text in that style; unchanged without colors.
std::string styled(const std::string& text, Style style, bool colors);

}  // namespace ordinal::experiments

// The three standard streams, each of which may be closed, full or a broken pipe, their terminals, and the width of text there.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace ordinal::experiments {

/// To be called at the start of a program. Opens /dev/null for a closed stream, so that no result file gets its number.
/// Makes a write to a broken pipe or past `ulimit -f` fail instead of ending the process.
void prepare_streams();

/// Print lines of text. Control characters, which external names may contain, are shown as \x1b, except on stdout if that is
/// not a terminal; line breaks and tabs stay. Failures are ignored, since no message is worth losing results for; those on
/// stdout set its error flag, unless it is a pipe whose reader has read enough.
void say_on_stdout(const std::string& text);
void say_on_stderr(const std::string& text);

/// Print text that itself moves the cursor or sets colors, and contains no control characters from elsewhere.
void draw_on_stdout(const std::string& text);
void draw_on_stderr(const std::string& text);

/// What a terminal can show. Never cached: a window may change its size at any time.
struct Terminal {
  std::size_t columns = 80;
  bool moves = true;    // its cursor can be moved: TERM is set, and not dumb
  bool colors = false;  // `moves`, and NO_COLOR is not set (no-color.org)
};

/// The terminal that a stream such as STDERR_FILENO writes to; nothing if it is a file or a pipe.
std::optional<Terminal> terminal_of(int stream);

/// The text with its lines broken between words, so that they fit; unchanged without a terminal. What continues a line is indented as
/// the line is, or, if that begins with "  --", by `option_text` columns.
std::string wrapped(const std::string& text, const std::optional<Terminal>& terminal,
                    std::size_t option_text = 2);

enum class Style { bold, dim };

/// The text in that style; unchanged without colors.
std::string styled(const std::string& text, Style style, bool colors);

/// Whether a byte begins a character.
inline bool begins_character(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U; }

/// Columns that a text takes on a terminal, assuming that each character is one column wide.
inline std::size_t display_width(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, begins_character));
}

}  // namespace ordinal::experiments

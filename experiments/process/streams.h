// The three standard streams, any of which may be closed, full or a broken pipe, and the terminal behind one.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace ordinal::experiments {

/// Prepares them, at the start of a program: a closed one becomes /dev/null, so that no file of results gets its number,
/// and writing to a broken pipe is an error of that write, not the end of the process.
void prepare_streams();

/// Print lines of text. Control characters, which names from outside may hold, are shown as \x1b; line breaks and tabs stay.
/// On stderr as far as that can be done: what is said there is never worth losing results for.
void say_on_stdout(const std::string& text);
void say_on_stderr(const std::string& text);

/// Print what moves the cursor or sets colors itself, and holds no control character of another.
void draw_on_stdout(const std::string& text);
void draw_on_stderr(const std::string& text);

/// Prints a result whose bytes count: as it is into a file or a pipe, as say_on_stdout() on a terminal.
void give_on_stdout(const std::string& text);
/// The same for an answer such as that of --help, of which a reader like `head` may take only the beginning.
/// Throws std::runtime_error if it cannot be printed for another reason.
void answer_on_stdout(const std::string& text);

/// Whether everything that was printed on stdout arrived. If not, says so on stderr, with the reason.
bool stdout_is_whole(const std::string& program);

/// What a terminal can show. Nothing is kept: a window may change its size at any time.
struct Terminal {
  std::size_t columns = 80;
  std::size_t rows = 24;
  bool moves = true;    // its cursor can be moved: TERM is set, and not dumb
  bool colors = false;  // it moves, and NO_COLOR is not set (no-color.org)
};

/// The terminal that a stream, such as STDERR_FILENO, writes to; nothing if that is a file or a pipe, or mpirun is in between.
std::optional<Terminal> terminal_of(int stream);

enum class Style { bold, dim, red };

/// The text in that style; unchanged without colors.
std::string styled(const std::string& text, Style style, bool colors);

}  // namespace ordinal::experiments

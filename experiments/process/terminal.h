// What the terminal behind a stream can show. Nothing is kept: a window may change its size at any time.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace ordinal::experiments {

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

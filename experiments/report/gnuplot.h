// Runs gnuplot as a child process, without a shell, to turn a script into an SVG. plots.h makes the scripts.
#pragma once

#include <string>

#include "framework/storage/folder_lock.h"

namespace ordinal::experiments {

inline constexpr const char* gnuplot_program = "gnuplot";

/// The outcome of drawing. `missing`: the program is not installed; `error`: one line for the user, empty on
/// success.
struct DrawOutcome {
  bool drawn = false;
  bool missing = false;
  std::string error;
};

/// A gnuplot string literal. In single quotes gnuplot neither expands escapes nor runs `commands`. A quote
/// becomes a typographic one, because gnuplot 5.4 misreads a doubled quote at the start; control characters
/// become spaces.
std::string gnuplot_string(const std::string& text);

/// Runs `program` on `script`, which must print one SVG, and writes it to `svg` with `title` as the name
/// shown by browsers and screen readers. The script is saved as plots/<name>.gp, so that it can be edited and
/// run again: `gnuplot curves.gp > curves.svg`. A missing program or a failing script is reported in the
/// result, not thrown; an unwritable folder throws.
DrawOutcome draw_svg(const std::string& script, const LockedPath& svg, const std::string& title,
                     const std::string& program = gnuplot_program);

}  // namespace ordinal::experiments

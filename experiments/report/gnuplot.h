// Runs gnuplot as a child process: a script goes in, an SVG comes out. No shell is involved. What the scripts
// say is in plots.h.
#pragma once

#include <filesystem>
#include <string>

namespace ordinal::experiments {

inline constexpr const char* gnuplot_program = "gnuplot";

/// How drawing went. `missing`: the program is not installed; `error`: one line for a person, empty when
/// drawn.
struct DrawOutcome {
  bool drawn = false;
  bool missing = false;
  std::string error;
};

/// A gnuplot string literal. In single quotes gnuplot neither expands escapes nor runs `commands`. A quote
/// becomes a typographic one, because gnuplot 5.4 misreads a doubled quote at the start; control characters
/// become spaces.
std::string gnuplot_string(const std::string& text);

/// Runs `program` on `script`, which must print one SVG, and writes it to `svg` with `title` as the name that
/// a browser and a screen reader give it. The script itself is kept beside it as plots/<name>.gp, so that a
/// reader can change it and draw again: `gnuplot curves.gp > curves.svg`. A missing program or a failing
/// script is an outcome, not an exception; an unwritable folder throws.
DrawOutcome draw_svg(const std::string& script, const std::filesystem::path& svg, const std::string& title,
                     const std::string& program = gnuplot_program);

}  // namespace ordinal::experiments

#include "experiments/report/terminal_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "experiments/process/utf8.h"
#include "framework/core/options.h"
#include "framework/core/text.h"

namespace ordinal::experiments {
namespace {

const std::string gap = "   ";

std::size_t width_of(const Grid& grid, std::size_t column) {
  std::size_t width = display_width(printable(grid.headings[column]));
  for (const auto& line : grid.lines)
    width = std::max(width, display_width(printable(full_text(line[column]))));
  return width;
}

// Leaves out the first columns after the names until the others fit, or one is left. Returns the headings of those left out.
std::vector<std::string> fit(Grid& grid, std::size_t columns) {
  std::vector<std::string> hidden;
  const auto is_too_wide = [&] {
    std::size_t width = 0;
    for (std::size_t c = 0; c < grid.headings.size(); ++c)
      width += (c > 0 ? gap.size() : 0) + width_of(grid, c);
    return width > columns;
  };
  while (grid.headings.size() > grid.names + 1 && is_too_wide()) {
    hidden.push_back(grid.headings[grid.names]);
    grid.headings.erase(grid.headings.begin() + Index(grid.names));
    for (auto& line : grid.lines) line.erase(line.begin() + Index(grid.names));
  }
  return hidden;
}

std::string aligned(const Grid& grid, bool colors) {
  std::vector<std::string> rows(2 + grid.lines.size());  // headings, a rule, the lines
  for (std::size_t c = 0; c < grid.headings.size(); ++c) {
    const std::size_t width = width_of(grid, c);
    const auto add = [&](std::string& row, const std::string& text, std::optional<Style> style = {}) {
      const std::string blanks(width - display_width(text), ' ');
      const std::string drawn = style ? styled(text, *style, colors) : text;
      row += (c > 0 ? gap : "") + (c < grid.names ? drawn + blanks : blanks + drawn);
    };
    std::string rule;
    for (std::size_t i = 0; i < width; ++i) rule += "─";
    add(rows[0], printable(grid.headings[c]));
    add(rows[1], rule);
    for (std::size_t i = 0; i < grid.lines.size(); ++i) {
      const GridCell& name = grid.lines[i].front();
      const GridCell& cell = grid.lines[i][c];
      const bool faint = name.reference || name.unranked;
      const auto style = faint ? std::optional(Style::dim) : std::nullopt;
      add(rows[i + 2], printable(full_text(cell)), cell.best ? Style::bold : style);
    }
  }
  for (std::string& row : rows) row.erase(row.find_last_not_of(' ') + 1);
  return joined(rows, "\n") + "\n";
}

}  // namespace

std::string terminal_table(const ExperimentResult& result, const std::optional<Terminal>& terminal) {
  Grid grid = main_grid(result, result.metrics.front());
  const std::vector<std::string> hidden =
      terminal ? fit(grid, terminal->columns) : std::vector<std::string>();
  std::string text = printable(grid.title) + "\n\n" + aligned(grid, terminal && terminal->colors);
  if (!hidden.empty())
    text += fmt::format("\nToo wide for this terminal, see table.md: {}\n", printable(joined(hidden)));
  const std::vector<std::string> notes = table_notes(result);
  if (!notes.empty()) text += "\n";
  for (const std::string& note : notes) text += printable(note) + "\n";
  return text;
}

}  // namespace ordinal::experiments

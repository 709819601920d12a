#include "experiments/report/terminal_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "experiments/report/verdicts.h"
#include "framework/core/options.h"
#include "framework/core/text.h"

namespace ordinal::experiments {
namespace {

const std::string gap = "   ";

// A column, of which all lines have the same width: its heading, a rule, and a line for each line of the grid.
std::vector<std::string> drawn(const Grid& grid, std::size_t c, bool colors) {
  std::size_t width = display_width(printable(grid.headings[c]));
  for (const auto& line : grid.lines) width = std::max(width, display_width(printable(line[c].text)));
  const auto aligned = [&](const std::string& given, std::optional<Style> style) {
    const std::string text = printable(given);
    const std::string blanks(width - display_width(text), ' ');
    const std::string shown = style ? styled(text, *style, colors) : text;
    return c < grid.names ? shown + blanks : blanks + shown;
  };
  std::vector<std::string> lines = {aligned(grid.headings[c], {}), ""};
  for (std::size_t i = 0; i < width; ++i) lines[1] += "─";
  for (const auto& line : grid.lines) {
    const bool faint = line.front().reference || line.front().unranked;
    const auto style = faint ? std::optional(Style::dim) : std::nullopt;
    lines.push_back(aligned(line[c].text, line[c].best ? Style::bold : style));
  }
  return lines;
}

// The table under its title; without the columns for which there is no room, which a line below names.
std::string fitted(const Grid& grid, const std::optional<Terminal>& terminal) {
  const auto width_of = [](const auto& column) { return display_width(column[1]) + gap.size(); };
  std::vector<std::vector<std::string>> columns;
  std::size_t width = 0;
  for (std::size_t c = 0; c < grid.headings.size(); ++c) {
    columns.push_back(drawn(grid, c, terminal && terminal->colors));
    width += width_of(columns.back());
  }
  std::vector<std::string> hidden;
  while (terminal && columns.size() > grid.names + 1 && width > terminal->columns + gap.size()) {
    const auto first = columns.begin() + static_cast<std::ptrdiff_t>(grid.names);
    width -= width_of(*first);
    columns.erase(first);
    hidden.push_back(printable(grid.headings[grid.names + hidden.size()]));
  }
  std::string text = printable(grid.title) + "\n\n";
  for (std::size_t i = 0; i < columns.front().size(); ++i) {
    std::string line = columns.front()[i];
    for (std::size_t c = 1; c < columns.size(); ++c) line += gap + columns[c][i];
    text += line.erase(line.find_last_not_of(' ') + 1) + "\n";
  }
  if (!hidden.empty())
    text += fmt::format("\nToo wide for this terminal, see table.md: {}\n", joined(hidden));
  return text + "\n";
}

}  // namespace

std::string terminal_table(const ExperimentResult& result, const std::optional<Terminal>& terminal) {
  std::string text;
  for (const MetricSpec& metric : headlines(result.metrics))
    text += fitted(main_grid(result, metric), terminal);
  for (const Grid& grid : band_grids(result)) text += fitted(grid, terminal);
  for (const auto& lines : {answer(result), table_notes(result)})
    for (const std::string& line : lines) text += printable(line) + "\n";
  return text;
}

}  // namespace ordinal::experiments

#include "experiments/report/terminal_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "experiments/process/utf8.h"
#include "experiments/report/verdicts.h"
#include "framework/core/options.h"
#include "framework/core/text.h"

namespace ordinal::experiments {
namespace {

const std::string gap = "   ";

// A heading, a rule, and a line for each line of the grid.
struct DrawnColumn {
  std::size_t width = 0;
  std::vector<std::string> lines = {};
};

DrawnColumn drawn(const Grid& grid, std::size_t c, bool colors) {
  std::vector<std::pair<std::string, std::optional<Style>>> texts = {{grid.headings[c], {}}, {}};
  for (const auto& line : grid.lines) {
    const bool faint = line.front().reference || line.front().unranked;
    const auto style = faint ? std::optional(Style::dim) : std::nullopt;
    texts.emplace_back(full_text(line[c]), line[c].best ? Style::bold : style);
  }
  DrawnColumn column;
  for (auto& [text, style] : texts) {
    text = printable(text);
    column.width = std::max(column.width, display_width(text));
  }
  for (std::size_t i = 0; i < column.width; ++i) texts[1].first += "─";
  for (const auto& [text, style] : texts) {
    const std::string blanks(column.width - display_width(text), ' ');
    const std::string shown = style ? styled(text, *style, colors) : text;
    column.lines.push_back(c < grid.names ? shown + blanks : blanks + shown);
  }
  return column;
}

// The table under its title; without the columns for which there is no room, which a line below names.
std::string fitted(const Grid& grid, const std::optional<Terminal>& terminal) {
  std::vector<DrawnColumn> columns;
  std::size_t width = 0;
  for (std::size_t c = 0; c < grid.headings.size(); ++c) {
    columns.push_back(drawn(grid, c, terminal && terminal->colors));
    width += columns.back().width + (c > 0 ? gap.size() : 0);
  }
  std::vector<std::string> hidden;
  while (terminal && columns.size() > grid.names + 1 && width > terminal->columns) {
    const auto first = columns.begin() + static_cast<std::ptrdiff_t>(grid.names);
    width -= first->width + gap.size();
    columns.erase(first);
    hidden.push_back(printable(grid.headings[grid.names + hidden.size()]));
  }
  std::string text = printable(grid.title) + "\n\n";
  for (std::size_t i = 0; i < columns.front().lines.size(); ++i) {
    std::string line = columns.front().lines[i];
    for (std::size_t c = 1; c < columns.size(); ++c) line += gap + columns[c].lines[i];
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
  for (const std::string& note : table_notes(result)) text += printable(note) + "\n";
  return text + printable(answer(result)) + "\n";
}

}  // namespace ordinal::experiments

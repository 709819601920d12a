#include "experiments/report/terminal_table.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

#include "experiments/process/utf8.h"
#include "framework/core/options.h"
#include "framework/core/text.h"

namespace ordinal::experiments {
namespace {

constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();

struct Cell {
  std::string plain;
  std::string drawn;  // in its style
};

// The cells of a grid, headings first. If compact: with less space (0.979±0.015) and without the notes of rows.
class AlignedTable {
 public:
  AlignedTable(const Grid& grid, bool compact, bool colors)
      : names_(grid.names), gap_(compact ? 2 : 3), widths_(grid.headings.size()) {
    lines_.emplace_back();
    for (const std::string& heading : grid.headings) add(printable(heading), std::nullopt, colors);
    for (const auto& cells : grid.lines) {
      const bool faint = cells.front().reference || cells.front().unranked;
      lines_.emplace_back();
      for (const GridCell& cell : cells) {
        std::string text = printable(compact && !cell.text.empty() ? cell.text : full_text(cell));
        if (const auto at = text.find(" ± "); compact && at != std::string::npos) text.replace(at, 4, "±");
        add(text,
            cell.best ? std::optional(Style::bold)
            : faint   ? std::optional(Style::dim)
                      : std::nullopt,
            colors);
      }
    }
  }

  bool fits(std::size_t columns) const {
    const std::size_t gaps = gap_ * (widths_.size() - 1);
    return std::accumulate(widths_.begin(), widths_.end(), gaps) <= columns;
  }

  /// The name columns with as many other columns as fit, at least one; then again with the next columns.
  std::string text(std::size_t columns) const {
    std::string text;
    std::size_t next = names_;
    do {
      std::vector<std::size_t> part(names_);
      std::iota(part.begin(), part.end(), std::size_t{0});
      std::size_t width =
          std::accumulate(widths_.begin(), widths_.begin() + Index(names_), gap_ * (names_ - 1));
      for (; next < widths_.size(); ++next) {
        width += gap_ + widths_[next];
        if (width > columns && part.size() > names_) break;
        part.push_back(next);
      }
      text += (text.empty() ? "" : "\n") + aligned(part);
    } while (next < widths_.size());
    return text;
  }

 private:
  void add(const std::string& text, const std::optional<Style>& style, bool colors) {
    std::size_t& width = widths_[lines_.back().size()];
    width = std::max(width, display_width(text));
    lines_.back().push_back({text, style ? styled(text, *style, colors) : text});
  }

  std::string aligned(const std::vector<std::size_t>& columns) const {
    const std::string gap(gap_, ' ');
    std::vector<std::string> rows;
    for (const auto& line : lines_) {
      std::vector<std::string> cells;
      for (const std::size_t c : columns) {
        const std::string padding(widths_[c] - display_width(line[c].plain), ' ');
        cells.push_back(c < names_ ? line[c].drawn + padding : padding + line[c].drawn);
      }
      rows.push_back(joined(cells, gap));
      rows.back().erase(rows.back().find_last_not_of(' ') + 1);
    }
    std::vector<std::string> rules(columns.size());
    for (std::size_t i = 0; i < columns.size(); ++i) {
      for (std::size_t k = 0; k < widths_[columns[i]]; ++k) rules[i] += "─";
    }
    rows.insert(rows.begin() + 1, joined(rules, gap));
    return joined(rows, "\n") + "\n";
  }

  std::size_t names_;
  std::size_t gap_;
  std::vector<std::size_t> widths_;
  std::vector<std::vector<Cell>> lines_;
};

// The notes that a compact table leaves out, one per line.
std::string notes_of(const Grid& grid, std::size_t columns) {
  std::string text;
  for (const auto& cells : grid.lines) {
    const GridCell& name = cells.front();
    if (!name.text.empty() && !name.note.empty())
      text += wrapped(name.text + ": " + name.note, columns) + "\n";
  }
  return text.empty() ? "" : "\n" + text;
}

}  // namespace

std::string wrapped(const std::string& given, std::size_t columns, std::size_t indent) {
  const std::string line = printable(given);
  std::string text;
  std::size_t used = 0;
  for (std::size_t start = 0; start < line.size();) {
    // The next word, with the spaces before it.
    const std::size_t word = std::min(line.find_first_not_of(' ', start), line.size());
    const std::size_t end = std::min(line.find(' ', word), line.size());
    std::string piece = line.substr(start, end - start);
    if (used > 0 && used + display_width(piece) > columns) {
      piece = "\n" + std::string(indent, ' ') + line.substr(word, end - word);
      used = display_width(piece) - 1;
    } else {
      used += display_width(piece);
    }
    text += piece;
    start = end;
  }
  return text;
}

std::string terminal_grid(const Grid& grid, const std::optional<Terminal>& terminal) {
  const std::size_t columns = terminal ? terminal->columns : unlimited;
  const bool colors = terminal && terminal->colors;
  const std::string title = grid.title.empty() ? "" : wrapped(grid.title, columns) + "\n\n";
  const AlignedTable whole(grid, false, colors);
  if (whole.fits(columns)) return title + whole.text(columns);
  return title + AlignedTable(grid, true, colors).text(columns) + notes_of(grid, columns);
}

std::string terminal_table(const ExperimentResult& result, const std::optional<Terminal>& terminal) {
  std::string text = terminal_grid(main_grid(result, result.metrics.front()), terminal);
  const std::vector<std::string> notes = table_notes(result);
  if (!notes.empty()) text += "\n";
  for (const std::string& note : notes)
    text += wrapped(note, terminal ? terminal->columns : unlimited) + "\n";
  std::vector<Grid> grids = published_grids(result);
  if (const std::vector<Grid> conditions = condition_grids(result); !conditions.empty())
    grids.insert(grids.begin(), conditions.back());
  for (const Grid& grid : grids) text += "\n" + terminal_grid(grid, terminal);
  return text;
}

}  // namespace ordinal::experiments

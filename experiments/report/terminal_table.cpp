#include "experiments/report/terminal_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "experiments/process/utf8.h"
#include "experiments/report/published.h"
#include "framework/core/options.h"
#include "framework/core/printable.h"

namespace ordinal::experiments {
namespace {

using Columns = std::vector<std::size_t>;

constexpr std::size_t wide_gap = 3;
constexpr std::size_t narrow_gap = 2;

struct Cell {
  std::string text;
  bool best = false;
  bool faint = false;
};

// The cells of a grid, headings first.
class Table {
 public:
  /// Notes of rows beside their names, or left out.
  Table(const Grid& grid, bool notes) : names_(grid.names) {
    lines_.emplace_back();
    for (const std::string& heading : grid.headings) lines_.back().push_back({printable(heading)});
    for (const auto& cells : grid.lines) {
      const bool faint = cells.front().reference || cells.front().unranked;
      lines_.emplace_back();
      for (const GridCell& cell : cells) {
        const bool note = notes || cell.text.empty();
        lines_.back().push_back({printable(note ? full_text(cell) : cell.text), cell.best, faint});
      }
    }
  }

  /// 0.979±0.015.
  Table tight() const {
    Table table = *this;
    for (auto& line : table.lines_) {
      for (Cell& cell : line) {
        if (const auto at = cell.text.find(" ± "); at != std::string::npos) cell.text.replace(at, 4, "±");
      }
    }
    return table;
  }

  Columns all_columns() const {
    Columns columns(lines_.front().size());
    std::iota(columns.begin(), columns.end(), std::size_t{0});
    return columns;
  }

  std::size_t width(const Columns& columns, std::size_t gap) const {
    std::size_t sum = 0;
    for (const std::size_t c : columns) sum += gap + width(c);
    return sum - gap;
  }

  std::string aligned(const Columns& columns, std::size_t gap, bool colors) const {
    std::string text;
    for (const auto& line : lines_) {
      std::string row;
      std::size_t blanks = 0;  // not yet written: none at the end of a line
      for (const std::size_t c : columns) {
        const std::size_t padding = width(c) - display_width(line[c].text);
        const bool is_name = c < names_;
        blanks += is_name ? 0 : padding;
        if (!line[c].text.empty()) row += std::string(std::exchange(blanks, 0), ' ') + drawn(line[c], colors);
        blanks += gap + (is_name ? padding : 0);
      }
      text += row + "\n";
      if (&line == &lines_.front()) text += rule(columns, gap);
    }
    return text;
  }

  /// The columns of names with as many others as fit, at least one, and again with the next ones.
  std::vector<Columns> parts(std::size_t columns, std::size_t gap) const {
    Columns names = all_columns();
    names.resize(names_);
    std::vector<Columns> parts;
    for (std::size_t c = names_; c < lines_.front().size(); ++c) {
      if (!parts.empty()) {
        Columns longer = parts.back();
        longer.push_back(c);
        if (width(longer, gap) <= columns) {
          parts.back() = longer;
          continue;
        }
      }
      parts.push_back(names);
      parts.back().push_back(c);
    }
    return parts;
  }

 private:
  std::size_t width(std::size_t column) const {
    std::size_t widest = 0;
    for (const auto& line : lines_) widest = std::max(widest, display_width(line[column].text));
    return widest;
  }

  std::string rule(const Columns& columns, std::size_t gap) const {
    std::vector<std::string> dashes(columns.size());
    for (std::size_t i = 0; i < columns.size(); ++i) {
      for (std::size_t k = 0; k < width(columns[i]); ++k) dashes[i] += "─";
    }
    return joined(dashes, std::string(gap, ' ')) + "\n";
  }

  static std::string drawn(const Cell& cell, bool colors) {
    if (cell.best) return styled(cell.text, Style::bold, colors);
    return cell.faint ? styled(cell.text, Style::dim, colors) : cell.text;
  }

  std::size_t names_;
  std::vector<std::vector<Cell>> lines_;
};

// The notes that a table without them lacks, a line for each.
std::string notes_of(const Grid& grid, std::size_t columns) {
  std::string text;
  for (const auto& cells : grid.lines) {
    const GridCell& name = cells.front();
    if (!name.text.empty() && !name.note.empty())
      text += wrapped(name.text + ": " + name.note, columns) + "\n";
  }
  return text.empty() ? "" : "\n" + text;
}

// From step to step the table gets narrower.
std::string fitted_table(const Grid& grid, const Terminal& terminal) {
  const std::size_t columns = terminal.columns;
  const bool colors = terminal.colors;
  const Table table(grid, true);
  const Columns all = table.all_columns();
  if (table.width(all, wide_gap) <= columns) return table.aligned(all, wide_gap, colors);
  if (table.width(all, narrow_gap) <= columns) return table.aligned(all, narrow_gap, colors);
  const Table tight = table.tight();
  if (tight.width(all, narrow_gap) <= columns) return tight.aligned(all, narrow_gap, colors);
  const Table bare = Table(grid, false).tight();
  const std::string notes = notes_of(grid, columns);
  if (bare.width(all, narrow_gap) <= columns) return bare.aligned(all, narrow_gap, colors) + notes;
  std::vector<std::string> parts;
  for (const Columns& part : bare.parts(columns, narrow_gap)) {
    parts.push_back(bare.aligned(part, narrow_gap, colors));
  }
  return joined(parts, "\n") + notes;
}

}  // namespace

std::string wrapped(const std::string& given, std::size_t columns, std::size_t indent) {
  const std::string line = printable(given);
  std::string text;
  std::size_t used = 0;
  for (std::size_t start = 0; start < line.size();) {
    // The next word, with the blanks before it.
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
  const std::string gap = grid.title.empty() ? "" : "\n\n";
  if (terminal) return wrapped(grid.title, terminal->columns) + gap + fitted_table(grid, *terminal);
  const Table table(grid, true);
  return printable(grid.title) + gap + table.aligned(table.all_columns(), wide_gap, false);
}

std::string terminal_table(const ExperimentResult& result, const std::optional<Terminal>& terminal) {
  const std::size_t columns = terminal ? terminal->columns : std::numeric_limits<std::size_t>::max();
  std::string text = terminal_grid(main_grid(result, result.metrics.front()), terminal);
  const std::vector<std::string> notes = table_notes(result);
  if (!notes.empty()) text += "\n";
  for (const std::string& note : notes) text += wrapped(note, columns) + "\n";
  const std::vector<Grid> conditions = condition_grids(result);
  if (!conditions.empty()) text += "\n" + terminal_grid(conditions.back(), terminal);
  for (const Grid& grid : published_grids(result)) text += "\n" + terminal_grid(grid, terminal);
  return text;
}

}  // namespace ordinal::experiments

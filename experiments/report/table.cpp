// Lays the comparison out. Cells are made once by cell_text; the writers below only place them.
#include "experiments/report/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace ordinal {
namespace {

using Grid = std::vector<std::vector<std::string>>;

/// Columns that a UTF-8 text takes on a terminal: its code points (all that we print are one column wide).
std::size_t display_width(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

int decimals(double value) {
  const double size = std::abs(value);
  if (size < 9.9995) return 3;
  if (size < 99.995) return 2;
  return size < 999.95 ? 1 : 0;
}

/// First line: headings; then one line per encoding.
Grid make_grid(const ExperimentResult& result, Scope scope) {
  const Comparison comparison = compare(result, scope);
  Grid grid(1, {"encoding", "parameters"});
  for (const Index length : comparison.lengths) {
    grid[0].push_back(length_heading(length, result.train_length));
  }
  for (const ComparisonRow& row : comparison.rows) {
    std::vector<std::string> line{
        row.note.empty() ? row.encoding : fmt::format("{} ({})", row.encoding, row.note),
        group_thousands(row.parameters)};
    for (const Entry& entry : row.entries) line.push_back(cell_text(entry, comparison.seeds));
    grid.push_back(std::move(line));
  }
  return grid;
}

/// Reasons behind every "fails", each once.
std::vector<std::string> failure_notes(const ExperimentResult& result) {
  std::vector<std::string> notes;
  std::set<std::string> seen;
  for (const ComparisonRow& row : compare(result, Scope::all_positions).rows) {
    for (const Entry& entry : row.entries) {
      if (entry.failed == 0 || !seen.insert(row.encoding).second) continue;
      notes.push_back(fmt::format("{} fails: {}", row.encoding, entry.why));
    }
  }
  return notes;
}

std::string escape_markdown(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (std::string("|\\`*_<>[]").find(c) != std::string::npos) escaped += '\\';
    escaped += c == '\n' || c == '\r' ? ' ' : c;
  }
  return escaped;
}

std::string markdown_table(const ExperimentResult& result, Scope scope) {
  const Grid grid = make_grid(result, scope);
  std::string text = escape_markdown(table_caption(result, scope)) + ":\n\n";
  for (std::size_t line = 0; line < grid.size(); ++line) {
    for (const std::string& cell : grid[line]) text += "| " + escape_markdown(cell) + " ";
    text += "|\n";
    if (line > 0) continue;
    text += "|---|";
    for (std::size_t column = 1; column < grid[0].size(); ++column) text += "---:|";
    text += '\n';
  }
  return text;
}

/// A field of a CSV file (RFC 4180).
std::string csv(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

/// Shortest text that reads back as the same double; empty for NaN.
std::string csv(double value) { return std::isnan(value) ? "" : fmt::format("{}", value); }

std::string csv_lines(const ExperimentResult& result, Scope scope) {
  const Comparison comparison = compare(result, scope);
  std::string text;
  for (const ComparisonRow& row : comparison.rows) {
    for (std::size_t i = 0; i < row.entries.size(); ++i) {
      const Entry& entry = row.entries[i];
      const Summary& s = entry.summary;
      text += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n",
                          scope == Scope::all_positions ? "all" : "past_training", csv(row.encoding),
                          csv(row.note), row.parameters, comparison.lengths[i],
                          multiple_of(comparison.lengths[i], result.train_length), s.n, csv(s.mean),
                          csv(s.sd), csv(s.low), csv(s.high), entry.failed, entry.diverged, csv(entry.why));
    }
  }
  return text;
}

}  // namespace

std::string format_value(double value) {
  if (!std::isfinite(value)) return std::isnan(value) ? "–" : (value > 0.0 ? "∞" : "−∞");
  if (std::abs(value) >= 1e6) return fmt::format("{:.1e}", value);
  return fmt::format("{:.{}f}", value, decimals(value));
}

std::string format_mean(const Summary& summary) {
  if (summary.n < 2) return format_value(summary.mean);
  if (std::abs(summary.mean) >= 1e6) return fmt::format("{:.1e} ± {:.1e}", summary.mean, summary.sd);
  return fmt::format("{} ± {:.{}f}", format_value(summary.mean), summary.sd, decimals(summary.mean));
}

std::string group_thousands(Index count) {
  std::string digits = fmt::format("{}", count);
  for (Index at = static_cast<Index>(digits.size()) - 3; at > (count < 0 ? 1 : 0); at -= 3) {
    digits.insert(static_cast<std::size_t>(at), ",");
  }
  return digits;
}

std::string cell_text(const Entry& entry, Index usual_n) {
  if (entry.diverged > 0) return "diverged";
  if (entry.summary.n == 0) return entry.failed > 0 ? "fails" : "–";
  std::string text = format_mean(entry.summary);
  if (entry.summary.n < usual_n) text += fmt::format(" (n = {})", entry.summary.n);
  return text;
}

std::string length_heading(Index length, Index train_length) {
  return fmt::format("{} ({})", length, multiple_of(length, train_length));
}

std::string table_caption(const ExperimentResult& result, Scope scope) {
  const Index seeds = compare(result, Scope::all_positions).seeds;
  const std::string spread =
      seeds > 1 ? fmt::format("mean ± standard deviation over {} seeds", seeds) : "one seed, so no spread";
  return fmt::format("{}{} ({} is better), {}", result.metric.name,
                     scope == Scope::past_training ? " at positions past the training length only" : "",
                     result.metric.lower_is_better ? "lower" : "higher", spread);
}

std::string terminal_table(const ExperimentResult& result, Scope scope) {
  const Grid grid = make_grid(result, scope);
  std::vector<std::size_t> widths(grid[0].size(), 0);
  for (const auto& line : grid) {
    for (std::size_t c = 0; c < line.size(); ++c) widths[c] = std::max(widths[c], display_width(line[c]));
  }
  std::string text = table_caption(result, scope) + "\n\n";
  for (std::size_t row = 0; row < grid.size(); ++row) {
    for (std::size_t c = 0; c < grid[row].size(); ++c) {
      const std::string padding(widths[c] - display_width(grid[row][c]), ' ');
      text += c == 0 ? grid[row][c] + padding : "   " + padding + grid[row][c];
    }
    while (text.back() == ' ') text.pop_back();
    text += '\n';
    if (row > 0) continue;
    for (std::size_t c = 0; c < widths.size(); ++c) {
      if (c > 0) text += "   ";
      for (std::size_t i = 0; i < widths[c]; ++i) text += "─";
    }
    text += '\n';
  }
  for (const std::string& note : failure_notes(result)) text += "\n" + note + "\n";
  return text;
}

std::string markdown_tables(const ExperimentResult& result) {
  std::string text =
      fmt::format("# {}\n\n{}\n\n", escape_markdown(result.name), escape_markdown(result.question));
  text += markdown_table(result, Scope::all_positions) + "\n";
  if (!compare(result, Scope::past_training).lengths.empty()) {
    text += markdown_table(result, Scope::past_training) + "\n";
  }
  for (const std::string& note : failure_notes(result)) text += escape_markdown(note) + "\n\n";
  return text;
}

std::string table_csv(const ExperimentResult& result) {
  return "scope,encoding,note,parameters,length,multiple,n,mean,sd,low95,high95,failed,diverged,why\n" +
         csv_lines(result, Scope::all_positions) + csv_lines(result, Scope::past_training);
}

std::string seeds_csv(const ExperimentResult& result) {
  std::string text = "encoding,note,seed,parameters,length,value,past_training,tokens,failed,why\n";
  for (const CellResult& cell : result.cells) {
    for (const LengthScore& score : cell.scores) {
      text += fmt::format("{},{},{},{},{},{},{},{},{},{}\n", csv(cell.encoding), csv(cell.positional_note),
                          cell.seed, cell.parameters, score.length, csv(score.value),
                          csv(score.past_training), score.tokens, score.failed ? 1 : 0, csv(score.why));
    }
  }
  return text;
}

}  // namespace ordinal

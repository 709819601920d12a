#include "experiments/report/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "experiments/report/published.h"
#include "experiments/report/unseen.h"
#include "experiments/results/csv.h"
#include "experiments/settings/words.h"
#include "framework/core/options.h"
#include "framework/core/printable.h"

namespace ordinal::experiments {
namespace {

/// Headings first.
std::vector<std::vector<std::string>> plain_lines(const Grid& grid) {
  std::vector<std::vector<std::string>> lines{grid.headings};
  for (const auto& cells : grid.lines) {
    lines.emplace_back();
    for (const GridCell& cell : cells) lines.back().push_back(full_text(cell));
  }
  return lines;
}

std::string markdown_grid(const Grid& grid) {
  std::string rule = "|";
  for (std::size_t c = 0; c < grid.headings.size(); ++c) rule += c < grid.names ? "---|" : "---:|";
  std::string text = escape_markdown(grid.title) + ":\n\n";
  for (const auto& line : plain_lines(grid)) {
    for (const std::string& cell : line) text += "| " + escape_markdown(cell) + " ";
    text += "|\n";
    if (!rule.empty()) text += std::exchange(rule, "") + "\n";
  }
  return text + "\n";
}

/// Every key that makes some row.
std::vector<std::string> all_factors(const ExperimentResult& result) {
  std::vector<std::string> keys;
  for (const RowInfo& row : result.rows) {
    for (const auto& [key, value] : row.factors) {
      if (std::ranges::find(keys, key) == keys.end()) keys.push_back(key);
    }
  }
  return keys;
}

/// The first fields of a line: the label of a row, and its value of each of `keys`.
std::vector<std::string> row_fields(const ExperimentResult& result, const std::string& label,
                                    const std::vector<std::string>& keys) {
  std::vector<std::string> fields{csv(label)};
  const auto row = std::ranges::find(result.rows, label, &RowInfo::label);
  for (const std::string& key : keys) {
    fields.emplace_back();
    if (row == result.rows.end()) continue;
    for (const auto& [name, value] : row->factors) {
      if (name == key) fields.back() = csv(value);
    }
  }
  return fields;
}

std::string csv_header(const std::vector<std::string>& keys, const std::vector<std::string>& others) {
  std::vector<std::string> fields{"row"};
  for (const std::string& key : keys) fields.push_back(csv(key));
  fields.insert(fields.end(), others.begin(), others.end());
  return csv_line(fields);
}

std::string csv_lines(const ExperimentResult& result, const MetricInfo& metric,
                      const std::string& condition) {
  const std::vector<std::string> keys = all_factors(result);
  const Comparison comparison = compare(result, metric.id, condition);
  std::string text;
  for (const ComparisonRow& row : comparison.rows) {
    for (std::size_t i = 0; i < row.entries.size(); ++i) {
      const Entry& entry = row.entries[i];
      const Summary& s = entry.summary;
      const Index length = comparison.lengths[i];
      const bool has_share = row.learned_cells + row.not_learned >= fewest_for_intervals;
      const auto share = [&](double end) { return has_share ? csv(end) : std::string(); };
      std::vector<std::string> fields = row_fields(result, row.label, keys);
      for (const std::string& field :
           {csv(length), multiple_of(length, result.train_length), csv(condition), csv(metric.id), csv(s.n),
            csv(s.mean), csv(s.sd), csv(s.low), csv(s.high), csv(row.not_learned),
            share(row.learned_share().low), share(row.learned_share().high), csv(entry.failed),
            csv(entry.diverged), csv(entry.why)}) {
        fields.push_back(field);
      }
      text += csv_line(fields);
    }
  }
  return text;
}

}  // namespace

std::string escape_markdown(const std::string& text) {
  std::string escaped;
  for (const char c : printable(one_line(text))) {
    if (std::string("|\\`*_<>[]&~#").find(c) != std::string::npos) escaped += '\\';
    escaped += c;
  }
  return escaped;
}

// Between more backticks than the text has in a row. There all characters stand for themselves, but for those that end the
// cell of a table.
std::string markdown_code(const std::string& text) {
  std::string escaped;
  std::size_t longest = 0;
  std::size_t run = 0;
  for (const char c : printable(one_line(text))) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
    if (c == '|') escaped += '\\';
    escaped += c;
  }
  const std::string fence(longest + 1, '`');
  const std::string space = longest > 0 ? " " : "";  // which readers take off again
  return fence + space + escaped + space + fence;
}

std::string markdown_tables(const ExperimentResult& result) {
  std::string text =
      fmt::format("# {}\n\n{}\n\n", escape_markdown(result.name), escape_markdown(result.question));
  for (const MetricInfo& metric : result.metrics) {
    text += markdown_grid(main_grid(result, metric));
    if (&metric != &result.metrics.front()) continue;
    const std::vector<std::string> notes = table_notes(result);
    for (const std::string& note : notes) text += "- " + escape_markdown(note) + "\n";
    if (!notes.empty()) text += '\n';
    for (const Grid& grid : unseen_grids(result)) text += markdown_grid(grid);
  }
  for (const Grid& grid : pivot_grids(result)) text += markdown_grid(grid);
  for (const Grid& grid : condition_grids(result)) text += markdown_grid(grid);
  for (const Grid& grid : class_grids(result)) text += markdown_grid(grid);
  for (const Grid& grid : published_grids(result)) {
    text += markdown_grid(grid);
    if (!grid.note.empty()) text += escape_markdown(grid.note) + "\n\n";
  }
  return text;
}

std::string table_csv(const ExperimentResult& result) {
  std::string text = csv_header(
      all_factors(result), {"length", "multiple", "condition", "metric", "n", "mean", "sd", "low95", "high95",
                            "not_learned", "learned_low95", "learned_high95", "failed", "diverged", "why"});
  for (const std::string& condition : conditions_of(result)) {
    for (const MetricInfo& metric : result.metrics) text += csv_lines(result, metric, condition);
  }
  return text;
}

std::string seeds_csv(const ExperimentResult& result) {
  const std::vector<std::string> keys = all_factors(result);
  std::string text = csv_header(keys, {"note", "seed", "parameters", "length", "condition", "metric", "value",
                                       "sampling_error", "tokens", "learned", "failed", "why"});
  for (const CellResult& cell : result.cells) {
    const std::optional<bool> learned = has_learned(result, cell);
    for (const LengthScore& score : cell.scores) {
      for (const MetricInfo& metric : result.metrics) {
        const Measurement* measured = score.find(metric.id);
        if (measured == nullptr && !score.metrics.empty()) continue;  // nothing of this kind at this length
        std::vector<std::string> fields = row_fields(result, cell.row, keys);
        for (const std::string& field :
             {csv(cell.note), fmt::format("{}", cell.seed), csv(cell.parameters), csv(score.length),
              csv(score.condition), csv(metric.id), csv(measured == nullptr ? not_a_number : measured->value),
              csv(measured == nullptr ? not_a_number : measured->sampling_error),
              csv(measured == nullptr ? Index{0} : measured->tokens),
              learned ? csv(Index{*learned}) : std::string(), csv(Index{score.failed}), csv(score.why)}) {
          fields.push_back(field);
        }
        text += csv_line(fields);
      }
    }
  }
  return text;
}

std::string references_csv(const ExperimentResult& result) {
  std::string text = csv_line({"reader", "length", "metric", "value", "tokens"});
  for (const Reference& reference : result.references) {
    for (const LengthScore& score : reference.scores) {
      for (const Measurement& measured : score.metrics) {
        text += csv_line({csv(reference.label), csv(score.length), csv(measured.metric), csv(measured.value),
                          csv(measured.tokens)});
      }
    }
  }
  return text;
}

}  // namespace ordinal::experiments

#include "experiments/report/table.h"

#include <fmt/format.h>

#include <algorithm>

#include "experiments/report/verdicts.h"
#include "experiments/results/csv.h"
#include "experiments/settings/config_file.h"
#include "experiments/settings/keys.h"
#include "framework/core/text.h"

namespace ordinal::experiments {
namespace {

std::vector<std::string> heading_fields(const ExperimentResult& result) {
  std::vector<std::string> fields{"row"};
  for (const std::string& key : factors_of(result)) fields.push_back(csv(key));
  return fields;
}

/// The first fields of a line: the label of a row, and its value for each factor.
std::vector<std::string> row_fields(const ExperimentResult& result, const std::string& label) {
  std::vector<std::string> fields{csv(label)};
  const auto row = std::ranges::find(result.rows, label, &RowInfo::label);
  for (const std::string& key : factors_of(result)) {
    const auto factor = std::ranges::find(row->factors, key, [](const auto& one) { return one.first; });
    fields.push_back(factor == row->factors.end() ? "" : csv(factor->second));
  }
  return fields;
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

std::string markdown(const Grid& grid) {
  std::string text = escape_markdown(grid.title) + ":\n\n";
  for (const std::string& heading : grid.headings) text += "| " + escape_markdown(heading) + " ";
  text += "|\n|";
  for (std::size_t c = 0; c < grid.headings.size(); ++c) text += c < grid.names ? "---|" : "---:|";
  for (const auto& line : grid.lines) {
    text += "\n";
    for (const GridCell& cell : line) text += "| " + escape_markdown(cell.text) + " ";
    text += "|";
  }
  return text + "\n\n";
}

std::string markdown_tables(const ExperimentResult& result) {
  std::string text =
      fmt::format("# {}\n\n{}\n\n", escape_markdown(result.name), escape_markdown(result.question));
  for (const MetricSpec& metric : headlines(result.metrics)) text += markdown(main_grid(result, metric));
  const std::vector<std::string> notes = table_notes(result);
  for (const std::string& note : notes) text += "- " + escape_markdown(note) + "\n";
  if (!notes.empty()) text += '\n';
  for (const MetricSpec& metric : other_metrics(result.metrics)) text += markdown(main_grid(result, metric));
  for (const auto& grids :
       {band_grids(result), pair_grids(result), pivot_grids(result), condition_grids(result)})
    for (const Grid& grid : grids) text += markdown(grid);
  return text;
}

std::string table_csv(const ExperimentResult& result) {
  std::string text = csv_line(heading_fields(result), "length", "multiple", "condition", "metric", "n",
                              "mean", "sd", "low95", "high95", "targets", "not_learned", "learned_low95",
                              "learned_high95", "failed", "diverged", "why");
  for (const std::string& condition : result.conditions) {
    for (const MetricSpec& metric : result.metrics) {
      for (const RowInfo& row : result.rows) {
        for (const Index length : lengths_under(result, condition)) {
          const Group group = at(result, row.label, length, condition, metric);
          const Learning& learning = group.learning;
          const Summary& s = group.summary;
          const Interval share =
              learning.known() > 0 ? clopper_pearson(learning.learned, learning.known()) : Interval{};
          text +=
              csv_line(row_fields(result, row.label), length, multiple_of(length, result.train_length),
                       condition, metric.id, s.n, s.mean, s.sd, s.median.low, s.median.high, group.targets,
                       learning.not_learned, share.low, share.high, group.failed, group.diverged, group.why);
        }
      }
    }
  }
  return text;
}

std::string seeds_csv(const ExperimentResult& result) {
  const bool has_encoding = std::ranges::count(factors_of(result), encoding_key) > 0;
  std::vector<std::string> headings = heading_fields(result);
  if (!has_encoding) headings.insert(headings.begin() + 1, encoding_key);
  std::string text = csv_line(headings, "note", "seed", "parameters", "length", "condition", "metric",
                              "value", "sampling_error", "tokens", "learned", "failed", "why");
  for (const CellResult& cell : result.cells) {
    std::vector<std::string> fields = row_fields(result, cell.row);
    if (!has_encoding)
      fields.insert(fields.begin() + 1,
                    csv(std::ranges::find(result.rows, cell.row, &RowInfo::label)->encoding));
    for (const Score& score : cell.scores) {
      text += csv_line(fields, cell.note, score.seed, cell.parameters, score.length, score.condition,
                       score.metric.id, score.value, score.error, score.tokens, known_field(score.learned),
                       Index{score.failed}, score.why);
    }
  }
  return text;
}

std::string references_csv(const ExperimentResult& result) {
  if (result.references.empty()) return "";
  std::string text = csv_line({"reader", "length", "metric", "value", "tokens"});
  for (const Score& one : result.references)
    text += csv_line({csv(one.row)}, one.length, one.metric.id, one.value, one.tokens);
  return text;
}

}  // namespace ordinal::experiments

#include "experiments/report/table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "experiments/report/comparison.h"
#include "experiments/results/csv.h"
#include "tests/experiments/report/sample_result.h"

namespace ordinal::experiments {
namespace {

using report_test::sample_result;
using ::testing::HasSubstr;
using ::testing::Not;
using Lines = std::vector<std::vector<std::string>>;

/// Reads RFC 4180, quotes, commas and line breaks in fields included.
Lines parse_csv(const std::string& text) {
  Lines lines(1, {""});
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted && c == '"' && i + 1 < text.size() && text[i + 1] == '"') {
      lines.back().back() += text[++i];
    } else if (c == '"') {
      quoted = !quoted;
    } else if (!quoted && c == ',') {
      lines.back().emplace_back();
    } else if (!quoted && c == '\n') {
      lines.push_back({""});
    } else {
      lines.back().back() += c;
    }
  }
  lines.pop_back();
  return lines;
}

/// The field of a line under `heading`.
std::string field(const Lines& lines, std::size_t line, const std::string& heading) {
  const auto column = std::ranges::find(lines[0], heading);
  if (column == lines[0].end()) ADD_FAILURE() << "no column " << heading;
  return column == lines[0].end() ? "" : lines[line][static_cast<std::size_t>(column - lines[0].begin())];
}

TEST(MarkdownTables, HaveAPivotForEachLengthOfTwoFactorsAndTheConditions) {
  const std::string text = markdown_tables(report_test::two_factors());
  EXPECT_THAT(text, HasSubstr("Length 4 (1x), encoding by d\\_model: bits per token:\n\n"
                              "| encoding | d\\_model = 64 | d\\_model = 128 |\n"
                              "|---|---:|---:|\n"
                              "| rope | 1.050 ± 0.071 | 2.050 ± 0.071 |\n"
                              "| alibi | 3.050 ± 0.071 | 4.050 ± 0.071 |\n"));
  EXPECT_THAT(text, HasSubstr("Length 8 (2x), encoding by d\\_model: bits per token:\n"));
  EXPECT_THAT(text,
              HasSubstr("bits per token under each condition:\n\n| encoding | d\\_model | 8, trained |"));
  EXPECT_THAT(markdown_tables(sample_result()), Not(HasSubstr(" by ")));
}

TEST(MarkdownTables, BothScopesWithEscapedNames) {
  ExperimentResult result = sample_result();
  report_test::relabel(result, [](const std::string& label) { return "a|b_" + label; });
  result.rows[0].notes = {"learning_rate 0.003 chosen on seed 1000"};
  const std::string text = markdown_tables(result);
  EXPECT_THAT(text, HasSubstr("| a\\|b\\_none | 12,345 | 1.133 ± 0.153 | 1.133 ± 0.153 | 1.133 ± 0.153 |\n"));
  EXPECT_THAT(
      text, HasSubstr("| encoding | parameters | 4 (1x) | 8 (2x) | 16 (4x) |\n|---|---:|---:|---:|---:|\n"));
  EXPECT_THAT(text, HasSubstr("\n\n- learning\\_rate 0.003 chosen on seed 1000\n"));
  EXPECT_THAT(text, HasSubstr("bits per token past the training length, up to it at all positions (lower"));
}

TEST(MarkdownTables, HoldNoMarkupOfNames) {
  EXPECT_EQ(escape_markdown("# `a` <b> &lt; ~~c~~\n\033"),
            "\\# \\`a\\` \\<b\\> \\&lt; \\~\\~c\\~\\~ \\\\x1b");
}

TEST(TableCsv, ReadsBackAsTheSameNumbers) {
  ExperimentResult result = sample_result(6);
  for (Score& score : result.cells[6].scores) score.why = "no, \"really\"\nnot";
  const Lines lines = parse_csv(table_csv(result));
  ASSERT_EQ(lines.size(), 1U + 9U + 9U);
  for (const auto& line : lines) EXPECT_EQ(line.size(), lines[0].size());
  const Summary expected = at(result, "sinusoidal", 16, trained_condition, result.metrics.front()).summary;
  EXPECT_EQ(field(lines, 3, "row"), "sinusoidal");
  EXPECT_EQ(field(lines, 3, "model.encoding"), "sinusoidal");
  EXPECT_EQ(field(lines, 3, "length"), "16");
  EXPECT_EQ(field(lines, 3, "multiple"), "4x");
  EXPECT_EQ(field(lines, 3, "condition"), "trained");
  EXPECT_EQ(field(lines, 3, "metric"), "bits");
  EXPECT_EQ(field(lines, 3, "not_learned"), "0");
  EXPECT_EQ(field(lines, 3, "n"), "6");
  EXPECT_EQ(field(lines, 3, "targets"), "1600");
  EXPECT_EQ(std::stod(field(lines, 3, "mean")), expected.mean);
  EXPECT_EQ(std::stod(field(lines, 3, "sd")), expected.sd);
  EXPECT_EQ(std::stod(field(lines, 3, "low95")), expected.median.low);
  EXPECT_EQ(std::stod(field(lines, 3, "high95")), expected.median.high);
  EXPECT_EQ(field(lines, 5, "mean"), "") << "a failure has no mean";
  EXPECT_EQ(field(lines, 5, "failed"), "6");
  EXPECT_EQ(field(lines, 5, "why"), "no, \"really\"\nnot");
  EXPECT_EQ(field(lines, 10, "metric"), "bits.past");
}

TEST(TableCsv, OneSeedHasNoSpread) {
  const Lines lines = parse_csv(table_csv(sample_result(1)));
  EXPECT_EQ(field(lines, 1, "mean"), "1");
  EXPECT_EQ(field(lines, 1, "sd"), "");
  EXPECT_EQ(field(lines, 1, "low95"), "");
}

TEST(SeedsCsv, HasEverySeedOfEveryLength) {
  const Lines lines = parse_csv(seeds_csv(sample_result()));
  const std::size_t whole = 9 * 3;
  const std::size_t past_training = 6 * 2 + 3 * 2;  // a failure has a line, a metric without targets has none
  ASSERT_EQ(lines.size(), 1U + whole + past_training);
  EXPECT_EQ(field(lines, 1, "seed"), "1");
  EXPECT_EQ(field(lines, 1, "value"), "1");
  EXPECT_EQ(field(lines, 2, "length"), "8") << "there is no position past the training length at it";
  EXPECT_EQ(field(lines, 3, "metric"), "bits.past");
  EXPECT_EQ(std::stod(field(lines, 3, "value")), 3.0);
  EXPECT_EQ(field(lines, 2, "tokens"), "800");
  EXPECT_EQ(field(lines, 2, "sampling_error"), "0.01");
  EXPECT_EQ(field(lines, 2, "learned"), "") << "without a threshold nobody knows";
  EXPECT_EQ(field(lines, 2, "parameters"), "12345");
}

TEST(Csv, LabelsAndConditionsWithCommasAndQuotesReadBack) {
  ExperimentResult result = report_test::two_factors();
  const std::string label = "rope, \"d_model\" = 64";
  report_test::relabel(result,
                       [&](const std::string& old) { return old == "rope, d_model = 64" ? label : old; });
  result.rows[0].factors[0].second = "rope(base=1, x=\"2\")";
  result.conditions[1] = result.cells[0].scores.back().condition = "shifted(offset=1, x=2)";
  for (const std::string& text : {table_csv(result), seeds_csv(result)}) {
    const Lines lines = parse_csv(text);
    for (const auto& line : lines) EXPECT_EQ(line.size(), lines[0].size());
    EXPECT_EQ(field(lines, 1, "row"), label);
    EXPECT_EQ(field(lines, 1, "model.encoding"), "rope(base=1, x=\"2\")");
    EXPECT_EQ(field(lines, 1, "model.d_model"), "64");
    const auto shifted = std::ranges::count_if(
        lines, [](const auto& line) { return std::ranges::count(line, "shifted(offset=1, x=2)") == 1; });
    EXPECT_GT(shifted, 0);
  }
}

TEST(Csv, NamesThatBeginLikeAFormulaGetAnApostrophe) {
  for (const std::string name : {"=1+1", "+a", "-a", "@a", "\ta", "'a", "-"})
    EXPECT_EQ(csv(name), "'" + name);
  EXPECT_EQ(csv(std::string("=a,b")), "\"'=a,b\"");
  for (const std::string text : {"-1.5", "-1e-3", "1+1", "a=b", "", "–"}) EXPECT_EQ(csv(text), text);
  EXPECT_EQ(csv(-1.5), "-1.5");
}

TEST(Csv, AFactorThatARowDoesNotHaveIsEmpty) {
  const ExperimentResult result = report_test::mixed_training();
  const Lines table = parse_csv(table_csv(result));
  EXPECT_EQ(field(table, 1, "task.train_length"), "");
  EXPECT_EQ(field(table, 9, "task.train_length"), "8");
  EXPECT_EQ(field(table, 9, "multiple"), "");
  const Lines seeds = parse_csv(seeds_csv(result));
  EXPECT_EQ(field(seeds, 1, "task.train_length"), "");
  EXPECT_EQ(field(seeds, seeds.size() - 1, "task.train_length"), "8");
}

TEST(TableCsv, CountsSeedsThatDidNotLearn) {
  ExperimentResult result = sample_result();
  result.gate = LearningGate{"bits", 1.15, "bits per token of at most 1.15"};
  const Lines lines = parse_csv(table_csv(result));
  EXPECT_EQ(field(lines, 3, "not_learned"), "1");
  EXPECT_EQ(field(lines, 3, "n"), "3") << "no seed is left out";
  EXPECT_EQ(field(parse_csv(seeds_csv(result)), 1, "learned"), "1");
}

TEST(ReferencesCsv, HasALineForEachReaderLengthAndMetric) {
  ExperimentResult result = sample_result();
  result.references = report_test::baseline(
      "oracle", {report_test::score(4, 0.5, not_a_number), report_test::score(16, 0.25, 0.2)});
  const Lines lines = parse_csv(references_csv(result));
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_EQ(field(lines, 3, "reader"), "oracle");
  EXPECT_EQ(field(lines, 3, "metric"), "bits.past");
  EXPECT_EQ(field(lines, 3, "value"), "0.2");
}

}  // namespace
}  // namespace ordinal::experiments

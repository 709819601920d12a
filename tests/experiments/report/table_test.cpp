#include "experiments/report/table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "experiments/report/comparison.h"
#include "tests/experiments/csv_lines.h"
#include "tests/experiments/report/sample_result.h"

namespace ordinal::experiments {
namespace {

using report_test::sample_result;
using report_test::score;
using report_test::two_factors;
using ::testing::HasSubstr;
using ::testing::Not;

// A file as a program reads it, which refuses lines of unequal length.
auto read(const std::string& text) { return csv_lines(text, "table"); }

TEST(MarkdownTables, HaveOneTableForAllBands) {
  ExperimentResult result = sample_result();
  result.metrics[1].band_of = "bits";
  result.metrics[1].band = "1x to 2x";
  EXPECT_THAT(markdown_tables(result),
              HasSubstr("by the distance of the source:\n\n| encoding | 1x to 2x |\n"));
  EXPECT_THAT(markdown_tables(result), Not(HasSubstr("past the training length"))) << "not one for each";
}

TEST(MarkdownTables, HaveAPivotForEachLengthOfTwoFactorsAndTheConditions) {
  ExperimentResult result = two_factors();
  result.limited = {{"window(size=4)", {8}}};
  const std::string text = markdown_tables(result);
  EXPECT_THAT(text, HasSubstr("Length 4 (1x), encoding by d\\_model: bits per token:\n\n"
                              "| encoding | d\\_model = 64 | d\\_model = 128 |\n"
                              "|---|---:|---:|\n"
                              "| rope | 1.050 ± 0.071 | 2.050 ± 0.071 |\n"
                              "| alibi | 3.050 ± 0.071 | 4.050 ± 0.071 |\n"));
  EXPECT_THAT(text, HasSubstr("Length 8 (2x), encoding by d\\_model: bits per token:\n"));
  EXPECT_THAT(text,
              HasSubstr("bits per token under each condition:\n\n| encoding | d\\_model | 8, trained |"));
  EXPECT_THAT(markdown_tables(sample_result()), Not(HasSubstr("encoding by ")));
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
  const auto lines = read(table_csv(result));
  ASSERT_EQ(lines.size(), 9U + 9U);
  const Summary expected = at(result, "sinusoidal", 16, trained_condition, result.metrics.front()).summary;
  EXPECT_EQ(lines.at(2).at("row"), "sinusoidal");
  EXPECT_EQ(lines.at(2).at("model.encoding"), "sinusoidal");
  EXPECT_EQ(lines.at(2).at("length"), "16");
  EXPECT_EQ(lines.at(2).at("multiple"), "4x");
  EXPECT_EQ(lines.at(2).at("condition"), "trained");
  EXPECT_EQ(lines.at(2).at("metric"), "bits");
  EXPECT_EQ(lines.at(2).at("not_learned"), "0");
  EXPECT_EQ(lines.at(2).at("n"), "6");
  EXPECT_EQ(lines.at(2).at("targets"), "1600");
  EXPECT_EQ(std::stod(lines.at(2).at("mean")), expected.mean);
  EXPECT_EQ(std::stod(lines.at(2).at("sd")), expected.sd);
  EXPECT_EQ(std::stod(lines.at(2).at("low95")), expected.median.low);
  EXPECT_EQ(std::stod(lines.at(2).at("high95")), expected.median.high);
  EXPECT_EQ(lines.at(4).at("mean"), "") << "a failure has no mean";
  EXPECT_EQ(lines.at(4).at("failed"), "6");
  EXPECT_EQ(lines.at(4).at("why"), "no, \"really\"\nnot");
  EXPECT_EQ(lines.at(9).at("metric"), "bits.past");
}

TEST(SeedsCsv, HasEverySeedOfEveryLength) {
  const auto lines = read(seeds_csv(sample_result()));
  const std::size_t whole = 9 * 3;
  const std::size_t past_training = 6 * 2 + 3 * 2;  // a failure has a line, a metric without targets has none
  ASSERT_EQ(lines.size(), whole + past_training);
  EXPECT_EQ(lines.at(0).at("seed"), "1");
  EXPECT_EQ(lines.at(0).at("value"), "1");
  EXPECT_EQ(lines.at(1).at("length"), "8") << "there is no position past the training length at it";
  EXPECT_EQ(lines.at(2).at("metric"), "bits.past");
  EXPECT_EQ(std::stod(lines.at(2).at("value")), 3.0);
  EXPECT_EQ(lines.at(1).at("tokens"), "800");
  EXPECT_EQ(lines.at(1).at("sampling_error"), "0.01");
  EXPECT_EQ(lines.at(1).at("learned"), "1");
  EXPECT_EQ(lines.at(1).at("parameters"), "12345");
}

TEST(Csv, LabelsAndConditionsWithCommasAndQuotesReadBack) {
  ExperimentResult result = two_factors();
  const std::string label = "rope, \"d_model\" = 64";
  report_test::relabel(result,
                       [&](const std::string& old) { return old == "rope, d_model = 64" ? label : old; });
  result.rows[0].factors[0].second = "rope(base=1, x=\"2\")";
  result.conditions[1] = result.cells[0].scores.back().condition = "shifted(offset=1, x=2)";
  for (const std::string& text : {table_csv(result), seeds_csv(result)}) {
    const auto lines = read(text);
    EXPECT_EQ(lines.at(0).at("row"), label);
    EXPECT_EQ(lines.at(0).at("model.encoding"), "rope(base=1, x=\"2\")");
    EXPECT_EQ(lines.at(0).at("model.d_model"), "64");
    const auto shifted = std::ranges::count_if(
        lines, [](const auto& line) { return line.at("condition") == "shifted(offset=1, x=2)"; });
    EXPECT_GT(shifted, 0);
  }
}

TEST(Csv, HasNoLineWhereAConditionIsNotTested) {
  ExperimentResult result = two_factors();
  const auto lengths = [&] {
    std::set<std::string> lengths;
    for (const auto& line : read(table_csv(result)))
      if (line.at("condition") == "window(size=4)") lengths.insert(line.at("length"));
    return lengths;
  };
  EXPECT_EQ(lengths(), (std::set<std::string>{"4", "8"}));
  result.limited = {{"window(size=4)", {8}}};
  EXPECT_EQ(lengths(), (std::set<std::string>{"8"}));
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
  const auto table = read(table_csv(result));
  EXPECT_EQ(table.at(0).at("task.train_length"), "");
  EXPECT_EQ(table.at(8).at("task.train_length"), "8");
  EXPECT_EQ(table.at(8).at("multiple"), "");
  const auto seeds = read(seeds_csv(result));
  EXPECT_EQ(seeds.at(0).at("task.train_length"), "");
  EXPECT_EQ(seeds.back().at("task.train_length"), "8");
}

TEST(TableCsv, CountsSeedsThatDidNotLearn) {
  ExperimentResult result = sample_result();
  report_test::gate(result, 1.15, "bits per token of at most 1.15");
  const auto lines = read(table_csv(result));
  EXPECT_EQ(lines.at(2).at("not_learned"), "1");
  EXPECT_EQ(lines.at(2).at("n"), "3") << "no seed is left out";
  EXPECT_EQ(read(seeds_csv(result)).at(0).at("learned"), "1");
}

TEST(ReferencesCsv, HasALineForEachReaderLengthAndMetric) {
  ExperimentResult result = sample_result();
  result.references = report_test::baseline("oracle", {score(4, 0.5), score(16, 0.25, 0.2)});
  const auto lines = read(references_csv(result));
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(lines.at(2).at("reader"), "oracle");
  EXPECT_EQ(lines.at(2).at("metric"), "bits.past");
  EXPECT_EQ(lines.at(2).at("value"), "0.2");
}

}  // namespace
}  // namespace ordinal::experiments

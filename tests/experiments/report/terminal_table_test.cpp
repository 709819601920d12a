#include "experiments/report/terminal_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "experiments/report/verdicts.h"
#include "tests/experiments/report/sample_result.h"

namespace ordinal::experiments {
namespace {

using report_test::sample_result;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

/// As a pipe gets it.
std::string whole_table(const ExperimentResult& result) { return terminal_table(result, std::nullopt); }

std::string table_of_width(std::size_t columns, const ExperimentResult& result = sample_result()) {
  return terminal_table(result, Terminal{.columns = columns});
}

// The line below the headings is as wide as the table.
std::size_t width_of_rule(const std::string& table) {
  std::istringstream lines(table);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("─")) return display_width(line);
  return 0;
}

TEST(TerminalTable, ColumnsLineUpAndFailuresAreNamed) {
  const std::string table = whole_table(sample_result());
  EXPECT_THAT(table, HasSubstr("encoding     parameters          4 (1x)          8 (2x)         16 (4x)\n"));
  EXPECT_THAT(table, HasSubstr("sinusoidal       12,345   1.100 ± 0.100   2.100 ± 0.100   3.120 ± 0.110\n"));
  EXPECT_THAT(table, HasSubstr("learned          12,345   1.000 ± 0.000           fails           fails\n"));
  EXPECT_THAT(table, HasSubstr("over 3 seeds"));
  EXPECT_THAT(table, AllOf(HasSubstr(report_test::failure_text), Not(HasSubstr("LearnedPos"))));
}

TEST(TerminalTable, HasTheAnswerBelowAndATableForEachHeadline) {
  ExperimentResult result = sample_result();
  EXPECT_THAT(whole_table(result), HasSubstr("0.153\n\n" + answer(result).front() + "\n"));
  EXPECT_THAT(whole_table(result), Not(HasSubstr("past the training length")));
  for (MetricSpec& metric : result.metrics) metric.headline = true;
  EXPECT_THAT(whole_table(result), HasSubstr("\n\nbits per token past the training length, "));
  EXPECT_THAT(whole_table(result), HasSubstr(answer(result)[0] + "\n" + answer(result)[1] + "\n"));
}

TEST(TerminalTable, HasTheBandsOfAHeadlineInATableOfTheirOwn) {
  ExperimentResult result = sample_result();
  result.metrics[1].band_of = "bits";
  result.metrics[1].band = "4 to 8";
  EXPECT_THAT(whole_table(result),
              AllOf(HasSubstr("by the distance of the source\n\nencoding            4 to 8\n"),
                    HasSubstr("sinusoidal   4.100 ± 0.100\n")));
}

TEST(TerminalTable, ShowsControlCharactersOfEveryText) {
  ExperimentResult result = report_test::two_factors();
  const std::string bad = "\033[2J";
  for (MetricSpec& metric : result.metrics) metric.name += bad;
  for (RowInfo& row : result.rows) row.factors[0].second += row.notes.emplace_back(bad);
  for (CellResult& cell : result.cells) {
    cell.note = bad;
    for (Score& score : cell.scores)
      if (score.condition != trained_condition) score.condition += bad;
  }
  result.conditions[1] += bad;
  for (const std::string& table :
       {whole_table(result), table_of_width(200, result), table_of_width(20, result)}) {
    EXPECT_THAT(table, HasSubstr("\\x1b[2J"));
    EXPECT_THAT(table, Not(HasSubstr("\033")));
  }
}

TEST(TerminalTable, LosesItsFirstColumnsWhereItIsTooWide) {
  EXPECT_EQ(table_of_width(71), whole_table(sample_result()));
  const std::string table = table_of_width(70);
  EXPECT_THAT(table, HasSubstr("encoding            4 (1x)          8 (2x)         16 (4x)\n"));
  EXPECT_THAT(table, HasSubstr("sinusoidal   1.100 ± 0.100   2.100 ± 0.100   3.120 ± 0.110\n"));
  EXPECT_THAT(table, HasSubstr("\n\nToo wide for this terminal, see table.md: parameters\n"));
  EXPECT_THAT(table_of_width(40),
              AllOf(HasSubstr("sinusoidal   3.120 ± 0.110\n"),
                    HasSubstr("\n\nToo wide for this terminal, see table.md: parameters, 4 (1x), 8 (2x)\n")));
}

TEST(TerminalTable, IsNoWiderThanATerminalWithRoomForOneColumn) {
  for (std::size_t columns = 1; columns < 100; ++columns) {
    const std::string table = table_of_width(columns);
    EXPECT_LE(width_of_rule(table), std::max<std::size_t>(26, columns));
    EXPECT_THAT(table, HasSubstr("16 (4x)")) << "the longest length stays";
  }
}

TEST(TerminalTable, HasBoldAndDimOnlyInColors) {
  ExperimentResult result = sample_result(8);
  result.lengths = {4};
  result.references = report_test::baseline("oracle", {report_test::score(4, 0.5)});
  for (CellResult& cell : result.cells) {
    if (cell.row == "none") report_test::value(cell, 4) = 2.0;
    if (cell.row == "learned") report_test::value(cell, 4) = 0.75;
  }
  report_test::gate(result, 1.75, "bits per token of at most 1.75");
  const std::string plain = terminal_table(result, Terminal{.columns = 200});
  EXPECT_EQ(plain, whole_table(result));
  EXPECT_THAT(plain, Not(HasSubstr("\033")));
  std::string colored = terminal_table(result, Terminal{.columns = 200, .colors = true});
  EXPECT_THAT(colored, HasSubstr("\033[1m0.750 ± 0.000\033[0m")) << "the best of a column";
  EXPECT_THAT(colored, HasSubstr("\n\033[2mnone\033[0m ")) << "it did not learn";
  EXPECT_THAT(colored, HasSubstr("\n\033[2moracle\033[0m "));
  EXPECT_THAT(colored, HasSubstr("\nsinusoidal "));
  for (const char* code : {"\033[0m", "\033[1m", "\033[2m"}) {
    for (auto at = colored.find(code); at != std::string::npos; at = colored.find(code)) colored.erase(at, 4);
  }
  EXPECT_EQ(colored, plain) << "columns line up";
}

}  // namespace
}  // namespace ordinal::experiments

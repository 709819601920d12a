#include "experiments/report/table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/experiments/report/sample_result.h"

namespace ordinal {
namespace {

using report_test::sample_result;
using testing::HasSubstr;
using testing::Not;
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

TEST(FormatValue, KeepsAboutFourDigits) {
  EXPECT_EQ(format_value(1.23456), "1.235");
  EXPECT_EQ(format_value(-0.06), "-0.060");
  EXPECT_EQ(format_value(12.3456), "12.35");
  EXPECT_EQ(format_value(123.456), "123.5");
  EXPECT_EQ(format_value(1234.56), "1235");
  EXPECT_EQ(format_value(9.9999), "10.00");
  EXPECT_EQ(format_value(1.5e7), "1.5e+07");
  EXPECT_EQ(format_value(not_a_number), "–");
  EXPECT_EQ(format_value(std::numeric_limits<double>::infinity()), "∞");
}

TEST(GroupThousands, EveryThreeDigits) {
  EXPECT_EQ(group_thousands(0), "0");
  EXPECT_EQ(group_thousands(999), "999");
  EXPECT_EQ(group_thousands(1000), "1,000");
  EXPECT_EQ(group_thousands(1234567), "1,234,567");
  EXPECT_EQ(group_thousands(-123), "-123");
}

TEST(CellText, SaysWhatIsThere) {
  Entry entry;
  EXPECT_EQ(cell_text(entry, 3), "–");
  entry.failed = 3;
  EXPECT_EQ(cell_text(entry, 3), "fails");
  entry.failed = 1;
  entry.summary = summarize(std::vector<double>{1.0, 1.2});
  EXPECT_EQ(cell_text(entry, 3), "1.100 ± 0.141 (n = 2)");
  EXPECT_EQ(cell_text(entry, 2), "1.100 ± 0.141");
  entry.diverged = 1;
  EXPECT_EQ(cell_text(entry, 3), "diverged");
}

TEST(TerminalTable, ColumnsLineUpAndFailuresAreNamed) {
  const std::string table = terminal_table(sample_result());
  EXPECT_THAT(table, HasSubstr("encoding     parameters          4 (1x)          8 (2x)         16 (4x)\n"));
  EXPECT_THAT(table, HasSubstr("sinusoidal       12,345   1.100 ± 0.100   2.100 ± 0.100   3.120 ± 0.110\n"));
  EXPECT_THAT(table, HasSubstr("learned          12,345   1.000 ± 0.000           fails           fails\n"));
  EXPECT_THAT(table, HasSubstr("over 3 seeds"));
  EXPECT_THAT(table, HasSubstr(report_test::failure_reason));
}

TEST(TerminalTable, OneSeedShowsTheValueAlone) {
  const std::string table = terminal_table(sample_result(1));
  EXPECT_THAT(table, HasSubstr("sinusoidal       12,345    1.000    2.000     3.010\n"));
  EXPECT_THAT(table, HasSubstr("one seed, so no spread"));
  EXPECT_THAT(table, Not(HasSubstr("±")));
}

TEST(TerminalTable, AnExperimentWithoutCellsIsAnEmptyTable) {
  ExperimentResult result = sample_result();
  result.cells.clear();
  EXPECT_THAT(terminal_table(result), HasSubstr("16 (4x)"));
}

TEST(MarkdownTables, BothScopesWithEscapedNames) {
  ExperimentResult result = sample_result();
  for (CellResult& cell : result.cells) cell.encoding = "a|b_" + cell.encoding;
  const std::string text = markdown_tables(result);
  EXPECT_THAT(text, HasSubstr("| a\\|b\\_none | 12,345 | 1.133 ± 0.153 | 1.133 ± 0.153 | 1.133 ± 0.153 |\n"));
  EXPECT_THAT(text, HasSubstr("| encoding | parameters | 8 (2x) | 16 (4x) |\n|---|---:|---:|---:|\n"));
  EXPECT_THAT(text, HasSubstr("past the training length only"));
}

TEST(TableCsv, ReadsBackAsTheSameNumbers) {
  ExperimentResult result = sample_result();
  result.cells[3].scores[1].why = "no, \"really\"\nnot";
  const Lines lines = parse_csv(table_csv(result));
  ASSERT_EQ(lines.size(), 1U + 9U + 6U);
  for (const auto& line : lines) EXPECT_EQ(line.size(), lines[0].size());
  const Summary expected = compare(result, Scope::all_positions).rows[0].entries[2].summary;
  const std::vector<std::string>& line = lines[3];
  EXPECT_EQ(line[0], "all");
  EXPECT_EQ(line[1], "sinusoidal");
  EXPECT_EQ(line[4], "16");
  EXPECT_EQ(line[5], "4x");
  EXPECT_EQ(line[6], "3");
  EXPECT_EQ(std::stod(line[7]), expected.mean);
  EXPECT_EQ(std::stod(line[8]), expected.sd);
  EXPECT_EQ(std::stod(line[9]), expected.low);
  EXPECT_EQ(std::stod(line[10]), expected.high);
  EXPECT_EQ(lines[5][7], "") << "a failure has no mean";
  EXPECT_EQ(lines[5][11], "3");
  EXPECT_EQ(lines[5][13], "no, \"really\"\nnot");
}

TEST(TableCsv, OneSeedHasNoSpread) {
  const Lines lines = parse_csv(table_csv(sample_result(1)));
  EXPECT_EQ(lines[1][7], "1");
  EXPECT_EQ(lines[1][8], "");
  EXPECT_EQ(lines[1][9], "");
}

TEST(SeedsCsv, HasEverySeedOfEveryLength) {
  const Lines lines = parse_csv(seeds_csv(sample_result()));
  ASSERT_EQ(lines.size(), 1U + 9U * 3U);
  EXPECT_EQ(lines[0][5], "value");
  EXPECT_EQ(lines[1][2], "1");
  EXPECT_EQ(lines[1][6], "") << "no position past the training length";
  EXPECT_EQ(std::stod(lines[2][6]), 3.0);
  EXPECT_EQ(lines[2][7], "800");
}

}  // namespace
}  // namespace ordinal

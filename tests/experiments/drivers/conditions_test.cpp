// Test conditions, as a user asks for them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/experiments/drivers/experiment.h"

namespace ordinal::experiments::testing {
namespace {

using ::testing::HasSubstr;

const std::string five_conditions =
    "--evaluate.conditions='trained,shifted(offset=3),window(size=16),log_n,truncated' ";

TEST(ConditionsSlow, AreThereForEveryLengthAndRow) {
  extrapolate(one_seed + "--compare.model.encoding=none,rope,learned " + five_conditions + "--out run");
  const std::vector<std::string> conditions = {"trained", "shifted(offset=3)", "window(size=16)", "log_n",
                                               "truncated"};
  EXPECT_EQ(column("condition"), conditions);
  EXPECT_EQ(column("condition", "run/seeds.csv"), conditions);
  const auto lines = csv("run/seeds.csv");
  EXPECT_EQ(std::ranges::count_if(lines, [](const auto& line) { return line.at("metric") == "bits"; }),
            3 * 2 * 5);
  for (const std::string& condition : conditions) {
    EXPECT_THAT(file("run/report.html"), HasSubstr(condition)) << condition;
  }
  EXPECT_THAT(
      file("run/table.md"),
      HasSubstr(
          "| 16, trained | 16, shifted(offset=3) | 32, trained | 32, window(size=16) | 32, log\\_n | 32, "
          "truncated |\n"));
}

// A column of a table is measured on the same tokens for every row, regardless of its training.
TEST(ConditionsSlow, ScoreAllRowsOnTheSameTokens) {
  write("same.cfg",
        "[row short]\nmodel.encoding = rope\n[row long]\nmodel.encoding = rope\nfinetune.steps = 4\n"
        "finetune.length = 4x\nfinetune.learning_rate = 1e-30\n[row small batch]\nmodel.encoding = rope\n"
        "train.batch = 2\n");
  extrapolate(one_seed + "--config same.cfg --evaluate.conditions=trained,window,shifted --out run");
  const std::vector<Whole> short_row = wholes(result("short"));
  for (std::size_t i = 0; i < short_row.size(); ++i) {
    const Whole long_row = wholes(result("long"))[i];
    EXPECT_EQ(long_row.tokens, short_row[i].tokens);
    EXPECT_EQ(wholes(result("small-batch"))[i].tokens, short_row[i].tokens);
    EXPECT_NEAR(long_row.value, short_row[i].value, 1e-6);
  }
}

}  // namespace
}  // namespace ordinal::experiments::testing

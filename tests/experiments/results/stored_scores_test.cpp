#include "experiments/results/stored_scores.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/report/table.h"
#include "experiments/results/csv.h"
#include "framework/core/errors.h"
#include "tests/experiments/report/sample_result.h"

namespace ordinal::experiments {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(Csv, IsReadAsItWasWritten) {
  const std::vector<std::string> texts = {"a, \"b\"\n", "=1+1", "'quoted'", "", "-0.5", "a\rb"};
  std::string text = "1,2,3,4,5,6\n";
  std::vector<std::string> fields;
  for (const std::string& one : texts) fields.push_back(csv(one));
  text += csv_line(fields);
  const auto lines = read_csv(text, "x.csv");
  ASSERT_EQ(lines.size(), 1U);
  for (std::size_t i = 0; i < texts.size(); ++i) EXPECT_EQ(lines[0].at(std::to_string(i + 1)), texts[i]);
}

TEST(Csv, ThatWasDamagedIsRefused) {
  const auto reading = [](const std::string& text) { return [=] { read_csv(text, "x.csv"); }; };
  EXPECT_THAT(reading("a,b\n1,2\n3\n"), ThrowsMessage<DataError>("x.csv:3: got 1 fields, expected 2"));
  for (const std::string text : {"", "a,b\n1,2", "a,b\n1,", "a,b\n1,\"2\n"})
    EXPECT_THAT(reading(text), ThrowsMessage<DataError>("x.csv: it was cut off: its last line has no end"));
}

ExperimentResult with_readers() {
  ExperimentResult result = report_test::sample_result(2);
  result.gate = LearningGate{"bits", 1.05, "1.05 bits"};
  result.cells[0].scores[0].value = 1.0 / 3.0;
  result.references = report_test::baseline("bigram", {report_test::score(4, 2.0, 3.0)});
  return result;
}

TEST(StoredScores, KeepEveryDigitAndWhichSeedsLearned) {
  const StoredScores stored = read_scores(scores_csv(with_readers(), {"bits"}), "x.csv");
  const StoredCell& cell = stored.cells.at({"sinusoidal", 1});
  ASSERT_EQ(cell.scores.size(), 3U);
  EXPECT_EQ(cell.scores[0].value, 1.0 / 3.0);
  EXPECT_EQ(cell.scores[0].tokens, 400);
  EXPECT_EQ(cell.learned, true);
  EXPECT_EQ(stored.cells.at({"sinusoidal", 2}).learned, false);
  EXPECT_TRUE(std::isnan(stored.cells.at({"learned", 1}).scores[1].value)) << "it cannot run at 8";
  ASSERT_EQ(stored.readers.size(), 1U);
  EXPECT_EQ(stored.readers[0].value, 2.0);
}

TEST(StoredScores, HoldTheMetricsThatAreAskedForAndThatOfLearning) {
  const StoredScores stored = read_scores(scores_csv(with_readers(), {"bits.past"}), "x.csv");
  std::vector<std::string> metrics;
  for (const Score& score : stored.cells.at({"none", 2}).scores) metrics.push_back(score.metric);
  EXPECT_THAT(metrics, ::testing::ElementsAre("bits", "bits.past", "bits.past"));
}

TEST(StoredScores, MayBeAWholeFileOfSeeds) {
  const StoredScores stored = read_scores(seeds_csv(with_readers()), "seeds.csv");
  EXPECT_EQ(stored.cells.size(), 6U);
  EXPECT_EQ(stored.cells.at({"sinusoidal", 1}).learned, true);
  EXPECT_EQ(stored.cells.at({"sinusoidal", 1}).scores[0].value, 1.0 / 3.0);
}

TEST(StoredScores, ThatAreNoneAreRefused) {
  const auto reading = [](const std::string& from, const std::string& to) {
    std::string text =
        "row,seed,length,condition,metric,value,tokens,learned\nrope,1,64,trained,bits,1.5,100,1\n";
    text.replace(text.rfind(from), from.size(), to);
    return [=] { read_scores(text, "x.csv"); };
  };
  EXPECT_THAT(reading(",learned\n", ",note\n"), ThrowsMessage<DataError>("x.csv: it has no column learned"));
  EXPECT_THAT(reading("64", "1x"),
              ThrowsMessage<DataError>("x.csv:2: length: got '1x', expected a whole number"));
  EXPECT_THAT(reading("1.5", "x"),
              ThrowsMessage<DataError>("x.csv:2: value: got 'x', expected a number or nothing"));
  EXPECT_NO_THROW(reading("1.5", "inf")());
}

}  // namespace
}  // namespace ordinal::experiments

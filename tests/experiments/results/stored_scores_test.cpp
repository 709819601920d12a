#include "experiments/results/stored_scores.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/report/table.h"
#include "experiments/results/csv.h"
#include "framework/core/errors.h"
#include "tests/experiments/report/sample_result.h"

namespace ordinal::experiments {
namespace {

using ::testing::ElementsAre;
using ::testing::ThrowsMessage;

TEST(Csv, IsReadAsItWasWritten) {
  const std::vector<std::string> texts = {"a, \"b\"\n", "=1+1", "'quoted'", "", "-0.5", "a\rb"};
  std::vector<std::string> fields;
  for (const std::string& one : texts) fields.push_back(csv(one));
  const std::string text = "1,2,3,4,5,6\n" + csv_line(fields);
  EXPECT_THAT(read_csv(text, "x.csv", {"1", "2", "3", "4", "5", "6"}), ElementsAre(texts));
  EXPECT_THAT(read_csv(text, "x.csv", {"5", "2"}), ElementsAre(ElementsAre("-0.5", "=1+1")));
}

TEST(Csv, ThatWasDamagedIsRefused) {
  const auto reading = [](const std::string& text) { return [=] { read_csv(text, "x.csv", {"a"}); }; };
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

StoredScores of_bits() {
  const auto is_bits = [](const Score& score) { return score.metric == "bits"; };
  return read_scores(scores_csv(with_readers(), is_bits), "x.csv");
}

TEST(StoredScores, KeepEveryDigitAndWhichSeedsLearned) {
  StoredScores stored = of_bits();
  EXPECT_EQ(stored.values.size(), 19U) << "of three rows with two seeds at three lengths, and of a reader";
  EXPECT_EQ(stored.values.at({"sinusoidal", "1", "4", "trained", "bits"}), 1.0 / 3.0);
  EXPECT_TRUE(std::isnan(stored.values.at({"learned", "1", "8", "trained", "bits"}))) << "it cannot run at 8";
  EXPECT_EQ(stored.values.at({"bigram", "", "4", "trained", "bits"}), 2.0);
  EXPECT_TRUE(stored.learned.at({"sinusoidal", "1"}));
  EXPECT_FALSE(stored.learned.at({"sinusoidal", "2"}));
}

TEST(StoredScores, MayBeAWholeFileOfSeeds) {
  const StoredScores stored = read_scores(seeds_csv(with_readers()), "seeds.csv");
  EXPECT_EQ(stored.learned, of_bits().learned);
  EXPECT_EQ(stored.values.at({"sinusoidal", "1", "4", "trained", "bits"}), 1.0 / 3.0);
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
              ThrowsMessage<DataError>("x.csv:2: got length '1x', expected a whole number"));
  EXPECT_THAT(reading("1.5", "x"),
              ThrowsMessage<DataError>("x.csv:2: got value 'x', expected a number or nothing"));
  EXPECT_NO_THROW(reading("1.5", "inf")());
  EXPECT_THAT(reading(",1\n", ",yes\n"),
              ThrowsMessage<DataError>("x.csv:2: got learned 'yes', expected 0, 1 or nothing"));
}

TEST(StoredScores, ThatStandThereTwiceAreRefused) {
  const std::string text =
      "row,seed,length,condition,metric,value,tokens,learned\nrope,1,64,trained,bits,1.5,100,1\n";
  EXPECT_THAT([&] { read_scores(text + "rope,1,64,trained,bits,2.5,100,1\n", "x.csv"); },
              ThrowsMessage<DataError>("x.csv:3: got a second line of rope,1,64,trained,bits, expected one"));
}

}  // namespace
}  // namespace ordinal::experiments

#include "experiments/claims/stored_scores.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <tuple>

#include "experiments/settings/settings.h"
#include "framework/core/errors.h"
#include "tests/experiments/report/sample_result.h"
#include "tests/message_of.h"

namespace ordinal::experiments {
namespace {

ExperimentResult with_readers() {
  ExperimentResult result = report_test::sample_result(2);
  report_test::gate(result, 1.05, "1.05 bits");
  result.cells[0].scores[0].value = 1.0 / 3.0;
  result.references = report_test::baseline("bigram", {report_test::score(4, 2.0, 3.0)});
  return result;
}

std::vector<Score> read(const std::string& text) {
  return read_scores(text, "x.csv", report_test::bits_metrics);
}

// All that a file keeps of a score.
auto kept(const Score& score) {
  return std::tuple(score.row, score.of_reader, score.seed, score.length, score.condition, score.metric.id,
                    score.metric.past, std::isnan(score.value) ? -1.0 : score.value, score.tokens,
                    score.learned);
}

void expect_equal(const std::vector<Score>& one, const std::vector<Score>& other) {
  ASSERT_EQ(one.size(), other.size());
  for (std::size_t i = 0; i < one.size(); ++i) EXPECT_EQ(kept(one[i]), kept(other[i])) << i;
}

TEST(ScoresCsv, AreReadAsTheyWereWritten) {
  const std::vector<Score> written = all_scores(with_readers());
  expect_equal(read(scores_csv(written)), written);
}

// pandas.read_csv(file).to_csv(file, index=False) writes whole numbers of a column with empty fields as 1.0.
TEST(ScoresCsv, MayHaveBeenWrittenByPandas) {
  std::string text = scores_csv(all_scores(with_readers()));
  const std::vector<Score> before = read(text);
  const auto replace_all = [&](const std::string& from, const std::string& to) {
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
      text.replace(at, from.size(), to);
  };
  replace_all(",1,", ",1.0,");
  replace_all(",2,", ",2.0,");
  replace_all(",1\n", ",True\n");
  replace_all(",0\n", ",0.0\n");
  expect_equal(read(text), before);
}

TEST(ScoresCsv, ThatAreNoneAreRefused) {
  const auto reading = [](const std::string& from, const std::string& to) {
    std::string text =
        "row,seed,length,condition,metric,value,tokens,learned\nrope,1,64,trained,bits,1.5,100,1\n";
    text.replace(text.rfind(from), from.size(), to);
    read(text);
  };
  const auto refusal = [&](const std::string& from, const std::string& to) {
    return message_of<DataError>([&] { reading(from, to); });
  };
  EXPECT_EQ(refusal(",learned\n", ",learnt\n"),
            "x.csv: got columns row, seed, length, condition, metric, value, tokens, learnt, expected "
            "row, seed, length, condition, metric, value, tokens, learned");
  EXPECT_EQ(refusal("64", "1x"), "x.csv:2: got length '1x', expected a whole number");
  EXPECT_EQ(refusal("64", "-64"), "x.csv:2: got length '-64', expected a whole number");
  EXPECT_EQ(refusal(",1,64", ",1.5,64"), "x.csv:2: got seed '1.5', expected a whole number");
  for (const std::string bad : {"x", "xinf", "-1.5", "nan"})
    EXPECT_EQ(refusal("1.5", bad), "x.csv:2: got value '" + bad + "', expected a number, or nothing");
  EXPECT_NO_THROW(reading("1.5", "inf"));
  EXPECT_EQ(refusal(",bits", ",accuracy"), "x.csv:2: got metric 'accuracy', expected one of bits, bits.past");
  EXPECT_EQ(refusal(",1\n", ",yes\n"), "x.csv:2: got learned 'yes', expected 0, 1 or nothing");
}

TEST(ScoresCsv, OfASharePastOneAreRefused) {
  const std::string text = "row,seed,length,condition,metric,value,tokens,learned\nrope,1,64,trained,hits,";
  const std::vector<MetricSpec> metrics = {{.id = "hits", .name = "hits", .measure = Measure::accuracy}};
  EXPECT_NO_THROW(read_scores(text + "1,100,1\n", "x.csv", metrics));
  for (const std::string bad : {"1.5", "95", "-5"})
    EXPECT_THAT(message_of<DataError>([&] { read_scores(text + bad + ",100,1\n", "x.csv", metrics); }),
                "x.csv:2: got value '" + bad + "', expected a number from 0 to 1, or nothing");
}

TEST(ScoresCsv, ThatContradictEachOtherAreRefused) {
  const std::string text =
      "row,seed,length,condition,metric,value,tokens,learned\nrope,1,64,trained,bits,1.5,100,1\n";
  EXPECT_THAT(message_of<DataError>([&] { read(text + "rope,1,64,trained,bits,2.5,100,1\n"); }),
              "x.csv:3: got a second line of rope,1,64,trained,bits, expected one");
  EXPECT_THAT(message_of<DataError>([&] { read(text + "rope,1,128,trained,bits,2.5,100,0\n"); }),
              "x.csv:3: got learned '0', expected what other lines of this seed have");
  EXPECT_NO_THROW(read(text + "rope,2,128,trained,bits,2.5,100,0\n"));
}

TEST(StoredScores, OfOtherSettingsSayTheFirstDifference) {
  const auto settings = [](const std::string& steps) {
    Settings all;
    all.set("task.name", "copy", "a.cfg:1");
    all.set("train.steps", steps, "a.cfg:2");
    return all;
  };
  const std::string stored = stored_text(settings("20"), {});
  const auto changed = [&](const std::string& text, const std::string& steps) {
    return read_stored(text, "a.scores.csv", settings(steps)).changed;
  };
  EXPECT_EQ(changed(stored, "20"), "");
  EXPECT_EQ(changed(stored, "21"), "they have train.steps = 20, the config 21");
  EXPECT_EQ(changed("# [row a] model.layers = 1\n" + stored, "20"),
            "they have [row a] model.layers = 1, the config does not");
}

}  // namespace
}  // namespace ordinal::experiments

#include "experiments/claims/sections.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "tests/experiments/report/sample_result.h"

namespace ordinal::experiments {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct Reading {
  std::vector<PublishedTable> tables;
  std::vector<std::string> problems;
};

// A section of these values over the defaults below; lengths 4, 8 and 16, trained on 4.
Reading reading(const std::map<std::string, std::string>& changes = {},
                const ExperimentResult& experiment = report_test::sample_result(1)) {
  std::map<std::string, std::string> values = {{"source", "a paper"},
                                               {"metric", "bits"},
                                               {"lengths", "1x, unseen"},
                                               {"rows", "sinusoidal: 20.05 43.5; none: 19 -"}};
  for (const auto& [key, value] : changes) values[key] = value;
  Settings settings;
  for (const auto& [key, value] : values) settings.add_to_section("published", "P1", key, value, "x.cfg:7");
  Reading reading;
  reading.tables = published_tables(settings, experiment, reading.problems);
  return reading;
}

TEST(PublishedTables, HoldANumberForEachRowAndLength) {
  const Reading read = reading({{"note", "they train longer"}, {"seeds", "all"}});
  EXPECT_THAT(read.problems, IsEmpty());
  ASSERT_EQ(read.tables.size(), 1U);
  const PublishedTable& table = read.tables.front();
  EXPECT_EQ(table.source, "a paper");
  EXPECT_EQ(table.note, "they train longer");
  EXPECT_FALSE(table.only_learned);
  EXPECT_EQ(table.columns[1].name, "unseen");
  EXPECT_THAT(table.columns[0].at, ElementsAre(0));
  EXPECT_THAT(table.columns[1].at, ElementsAre(1, 2));
  EXPECT_EQ(table.rows[0].label, "sinusoidal");
  EXPECT_THAT(table.rows[0].values, ElementsAre(20.05, 43.5));
  EXPECT_EQ(table.rows[1].values[0], 19.0);
  EXPECT_TRUE(std::isnan(table.rows[1].values[1]));
}

TEST(Claims, SayWhichSeedsCount) {
  Settings settings;
  settings.add_to_section("claim", "L1", "statement", "bits(none, 1x) > 1", "x.cfg:7");
  EXPECT_EQ(claims_of(settings).front().seeds, "");
  settings.add_to_section("claim", "L1", "seeds", "learned", "x.cfg:8");
  EXPECT_EQ(claims_of(settings).front().seeds, "learned");
}

// Then 2x and what is unseen are other lengths for each row.
TEST(PublishedTables, NeedLengthsInTokensWhereRowsDifferInTheTrainingLength) {
  ExperimentResult experiment = report_test::sample_result(1);
  experiment.train_length = 0;
  EXPECT_THAT(reading({}, experiment).problems,
              ElementsAre(HasSubstr("lengths: got '1x', expected a length in tokens"),
                          HasSubstr("lengths: got 'unseen', expected a length in tokens")));
  EXPECT_THAT(reading({{"lengths", "4, 16"}}, experiment).problems, IsEmpty());
}

TEST(PublishedTables, HaveEachRowOnce) {
  EXPECT_THAT(reading({{"rows", "none: 1 2; none: 1 2"}}).problems,
              ElementsAre(HasSubstr("rows: got 'none' twice")));
}

TEST(PublishedTables, NameAllThatIsWrong) {
  const Reading read = reading({{"metric", "hits"},
                                {"lengths", "1x, 3x"},
                                {"rows", "rope@contiguous:ntk: 1 2; none: 1; sinusoidal: 1 x"},
                                {"source", ""},
                                {"seeds", "some"}});
  EXPECT_THAT(
      read.problems,
      ElementsAre(HasSubstr("x.cfg:7: [published P1] seeds: got 'some', expected all"),
                  HasSubstr("metric: got 'hits', expected one of bits, bits.past"),
                  HasSubstr("lengths: got '3x', expected one of unseen, 4, 8, 16"),
                  HasSubstr("rows: got 'rope@contiguous:ntk', expected one of sinusoidal, learned, none"),
                  HasSubstr("rows: none: got 1 numbers, expected one for each of 2 lengths"),
                  HasSubstr("rows: sinusoidal: got 'x', expected a number or -"),
                  HasSubstr("source: got nothing, expected the paper and its table")));
}

TEST(PublishedTables, NeedRowsAndLengths) {
  EXPECT_THAT(reading({{"rows", ""}}).problems, Not(IsEmpty()));
  EXPECT_THAT(reading({{"lengths", ""}}).problems, Not(IsEmpty()));
}

}  // namespace
}  // namespace ordinal::experiments

#include "experiments/programs/encoding/subject.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "framework/core/errors.h"
#include "tests/framework/storage/scratch_folder.h"
#include "tests/message_of.h"

namespace ordinal::experiments {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

using Given = std::vector<std::pair<std::string, std::string>>;

EncodingSubject subject(const Given& given) {
  CommandLine command;
  for (const auto& [key, value] : given) command.settings.set("encoding." + key, value, command_line_origin);
  return EncodingSubject(command);
}

std::string error_of(const Given& given) {
  return message_of<ConfigError>([&] { subject(given); });
}

TEST(GivenPositions, AreRealNumbersInAnyOrder) {
  const Positions positions = subject({{"positions", "5, 7.5, -1,1e3"}}).effect().positions;
  EXPECT_THAT(positions.of(0), ElementsAre(5.0, 7.5, -1.0, 1000.0));
  for (const std::string wrong : {"five", "1e10", "inf", "3x"}) {
    EXPECT_THAT(error_of({{"positions", "1, " + wrong}}),
                HasSubstr("encoding.positions: got '" + wrong + "', expected real numbers"));
  }
}

TEST(GivenPositions, AndTheirNumberExcludeEachOther) {
  EXPECT_THAT(error_of({{"positions", "5, 10"}, {"seq_len", "2"}}), HasSubstr("leave one of them out"));
}

TEST(GivenPositions, NeedASchemeThatChoosesNone) {
  for (const std::string scheme : {"contiguous", "ntk", "yarn", "dynamic_ntk"})
    EXPECT_NO_THROW(subject({{"positions", "0, 1"}, {"name", "rope@" + scheme}})) << scheme;
  for (const std::string scheme :
       {"contiguous(offset=5)", "interpolated", "randomized", "random_float", "spaced"}) {
    EXPECT_THAT(error_of({{"positions", "0, 1"}, {"name", "rope@" + scheme}}),
                HasSubstr("chooses positions itself"))
        << scheme;
  }
}

TEST(GivenPositions, NeedAnEncodingThatReadsThem) {
  for (const std::string name : {"none", "cope"})
    EXPECT_THAT(error_of({{"positions", "0, 1"}, {"name", name}}), HasSubstr(name + " takes no positions"));
  EXPECT_NO_THROW(subject({{"positions", "0, 1"}, {"name", "cope+alibi"}}));
}

// A model must know the tokens up to the last position, within what fits into memory.
TEST(GivenPositions, AreCoveredByATable) {
  const auto rows = [](const std::string& positions) {
    return subject({{"positions", positions}, {"name", "learned"}, {"d_model", "2"}, {"heads", "1"}})
        .shape()
        .positions;
  };
  EXPECT_EQ(rows("5, 100, 10"), 101);
  EXPECT_EQ(rows("0.5"), 1);
  EXPECT_EQ(rows("-3"), 1);
  EXPECT_EQ(rows("1e9"), 1000000);
}

TEST(Offsets, OfTheDefaultAreThoseThatFit) {
  EXPECT_THAT(subject({}).offsets(), ElementsAre(1, 5, 10, 50));
  EXPECT_THAT(subject({{"seq_len", "10"}}).offsets(), ElementsAre(1, 5));
}

TEST(Offsets, ThatAreGivenMustFit) {
  EXPECT_THAT(subject({{"offsets", "0, 7"}, {"seq_len", "8"}}).offsets(), ElementsAre(0, 7));
  EXPECT_THAT(error_of({{"offsets", "1, 8"}, {"seq_len", "8"}}),
              HasSubstr("got '8', expected whole numbers from 0, below the 8 positions"));
  EXPECT_THAT(error_of({{"offsets", "-1"}}), HasSubstr("got '-1'"));
  EXPECT_THAT(error_of({{"offsets", "1.5"}}), HasSubstr("got '1.5'"));
}

}  // namespace
}  // namespace ordinal::experiments

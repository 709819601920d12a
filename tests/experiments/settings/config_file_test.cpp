// Config files, including those that Boost.Program_options handles badly.
#include "experiments/settings/config_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/settings/keys.h"
#include "framework/core/random.h"

namespace ordinal::experiments {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Source read(const std::string& text) { return read_config_text(text, "a.cfg"); }

// A key by itself, behind compare or compare.tune, or in a row; the heading of a row has none.
bool is_known(const ConfigEntry& entry) {
  std::string key = entry.key;
  if (entry.kind == "row") return key.empty() || find_key(key) != nullptr;
  for (const std::string prefix : {"compare.", "tune."}) {
    if (key.starts_with(prefix)) key = key.substr(prefix.size());
  }
  return find_key(key) != nullptr;
}

TEST(ConfigFile, EntriesKnowTheirLine) {
  const Source result = read("# first\n\n[train]\nsteps = 5 # five\n\n[model]\n  heads=2\n");
  EXPECT_THAT(result.problems(), IsEmpty());
  ASSERT_EQ(result.entries.size(), 2U);
  EXPECT_EQ(result.entries[0].key, "train.steps");
  EXPECT_EQ(result.entries[0].value, "5");
  EXPECT_EQ(result.entries[0].origin, "a.cfg:4");
  EXPECT_EQ(result.entries[1].key, "model.heads");
  EXPECT_EQ(result.entries[1].origin, "a.cfg:7");
}

TEST(ConfigFile, KeysMayBeDottedWithoutASection) {
  EXPECT_EQ(read("train.steps = 5\n").entries.at(0).key, "train.steps");
}

TEST(ConfigFile, WindowsLinesTabsAByteOrderMarkAndNoLastNewlineAreFine) {
  const Source result = read("\xEF\xBB\xBF[train]\r\n\tsteps\t=\t5\r\nbatch = 3");
  EXPECT_THAT(result.problems(), IsEmpty());
  ASSERT_EQ(result.entries.size(), 2U);
  EXPECT_EQ(result.entries[0].value, "5");
  EXPECT_EQ(result.entries[1].value, "3");
}

TEST(ConfigFile, AnEmptySectionIsReported) {
  EXPECT_THAT(read("[]\nsteps = 5\n").problems().at(0), HasSubstr("a.cfg:1: got section []"));
  EXPECT_THAT(read("[  ]\n").problems().at(0), HasSubstr("a.cfg:1"));
}

TEST(ConfigFile, KeysBelowARefusedSectionAreNoFurtherMistakes) {
  const Source result = read("[]\nsteps = 5\nnonsense\n[train]\nbatch = 3\n");
  EXPECT_THAT(result.problems(), ElementsAre("a.cfg:1: got section [], expected a name such as [train]"));
  ASSERT_EQ(result.entries.size(), 2U);
  EXPECT_EQ(result.entries[1].key, "train.batch");
}

TEST(ConfigFile, AHashThatCutsAValueIsReported) {
  EXPECT_THAT(read("[task]\nfile = my#book.txt\n").problems().at(0),
              HasSubstr("a.cfg:2: a # starts a comment and cuts the value to 'my'"));
  EXPECT_THAT(read("[task]\nname = copy   # the task\n").problems(), IsEmpty());
}

TEST(ConfigFile, ALineThatIsNoneIsReported) {
  EXPECT_THAT(read("[train]\nsteps 5\n").problems(),
              ElementsAre("a.cfg:2: got 'steps 5', expected key = value or [section]"));
}

TEST(ConfigFile, AnUnknownKeyNamesTheNearest) {
  EXPECT_THAT(read("[train]\nlearnin_rate = 1\n").problems(),
              ElementsAre("a.cfg:2: unknown key train.learnin_rate (did you mean train.learning_rate?)"));
  EXPECT_THAT(read("[trian]\nsteps = 1\n").problems().at(0), HasSubstr("did you mean train.steps?"));
}

TEST(ConfigFile, AKeyGivenTwiceIsReportedWithBothLines) {
  EXPECT_THAT(read("[train]\nsteps = 1\nbatch = 2\nsteps = 3\n").problems(),
              ElementsAre("a.cfg:4: train.steps: already set in line 2"));
}

TEST(ConfigFile, FilesMayBeGivenMoreThanOnceAndStandOnLinesOfTheirOwn) {
  const Source result = read("[task]\nfile = a.txt\nfile = b c.txt\n");
  EXPECT_THAT(result.problems(), IsEmpty());
  EXPECT_EQ(result.entries.at(0).value, "a.txt\nb c.txt");
}

// [row NAME] and [compare]: what they mean is in rows_test.cpp.
TEST(ConfigFile, RowsComeInOrderAndTheirKeysAreInFull) {
  const Source result = read("[row wide, slow]\nmodel.d_model = 64\ntrain.learning_rate = 1e-4\n[row b]\n");
  EXPECT_THAT(result.problems(), IsEmpty());
  ASSERT_EQ(result.entries.size(), 4U);
  EXPECT_EQ(result.entries[0].id, "wide, slow");
  EXPECT_EQ(result.entries[0].key, "");
  EXPECT_EQ(result.entries[1].id, "wide, slow");
  EXPECT_EQ(result.entries[1].key, "model.d_model");
  EXPECT_EQ(result.entries[1].value, "64");
  EXPECT_EQ(result.entries[2].origin, "a.cfg:3");
  EXPECT_EQ(result.entries[3].id, "b");
  EXPECT_EQ(result.entries[3].key, "");
  EXPECT_EQ(result.entries[3].origin, "a.cfg:4");
}

TEST(ConfigFile, ANameOfARowMayHoldWhatANameMayHold) {
  for (const std::string name : {"a.", "a.b", "rope(base=500)", "a = b", "train", "d_model 64 (wide)"}) {
    const Source result = read("[row   " + name + " ]\nmodel.d_model = 64\n");
    EXPECT_THAT(result.problems(), IsEmpty()) << name;
    ASSERT_EQ(result.entries.size(), 2U) << name;
    EXPECT_EQ(result.entries[1].id, name);
    EXPECT_EQ(result.entries[1].key, "model.d_model") << name;
  }
}

TEST(ConfigFile, AKeyMayStandInSeveralRowsButOnceInEach) {
  EXPECT_THAT(read("[row a]\nmodel.heads = 1\n[row b]\nmodel.heads = 2\n").problems(), IsEmpty());
  EXPECT_THAT(read("[row a]\nmodel.heads = 1\n[row b]\n[row a]\nmodel.heads = 2\n").problems(),
              ElementsAre("a.cfg:5: [row a] model.heads: already set in line 2"));
}

TEST(ConfigFile, UnknownKeysOfARowOrAComparisonNameTheNearest) {
  EXPECT_THAT(read("[row a]\nheads = 1\n").problems(),
              ElementsAre("a.cfg:2: unknown key heads (did you mean model.heads?)"));
  EXPECT_THAT(read("[compare]\nmodel.head = 1\n").problems().at(0),
              HasSubstr("a.cfg:2: unknown key compare.model.head (did you mean "));
  EXPECT_THAT(read("[compare]\ntune.train.learning_rate = 1, 2\n").problems(), IsEmpty());
}

// For any bytes in a config, reading it gives entries or problems.
TEST(ConfigFile, RandomChangesNeverCrash) {
  const std::string original =
      "# c\n[train]\nsteps = 5\nbatch = 3 # x\n[model]\nheads = 2\n[task]\nfile = a b.txt\n"
      "[compare]\nmodel.layers = 1, 2\n[row a b]\nmodel.heads = 4\n";
  constexpr char bytes[] = "[]=#\n\r\t .ax0\0\xff\"'\\-";
  Random random({.seed = 1});
  for (int round = 0; round < 5000; ++round) {
    std::string text = original;
    for (std::uint32_t change = 0; change <= random.below(6); ++change) {
      const auto at = random.below(static_cast<std::uint32_t>(text.size()));
      const char byte = bytes[random.below(sizeof(bytes) - 1)];
      if (random.below(3) == 0)
        text.erase(at, 1 + random.below(5));
      else
        text.insert(at, 1, byte);
      if (text.empty()) text = "x";
    }
    const Source result = read(text);
    for (const ConfigEntry& entry : result.entries)
      ASSERT_TRUE(!entry.problem.empty() || is_known(entry)) << text;
  }
}

}  // namespace
}  // namespace ordinal::experiments

// Config files, including those that Boost.Program_options handles badly; any bytes are in fuzz_test.cpp.
#include "experiments/settings/config_file.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/experiments/settings/command.h"

namespace ordinal::experiments {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Source read(const std::string& text) { return read_config_text(text, "a.cfg"); }

std::vector<std::string> problems_of(const std::string& text) {
  return refusals(train_like(Builds::rows), {"--config", config("a.cfg", text)});
}

// "[row NAME] key = value (origin)".
std::vector<std::string> entries(const std::string& text) {
  std::vector<std::string> lines;
  for (const ConfigEntry& entry : read(text)) {
    EXPECT_EQ(entry.problem, "") << text;
    lines.push_back(fmt::format("{}{} = {} ({})", entry.kind.empty() ? "" : "[row " + entry.id + "] ",
                                entry.key, entry.value, entry.origin));
  }
  return lines;
}

TEST(ConfigFile, EntriesKnowTheirLine) {
  EXPECT_THAT(entries("# first\n\n[train]\nsteps = 5 # five\n\n[model]\n  heads=2\n"),
              ElementsAre("train.steps = 5 (a.cfg:4)", "model.heads = 2 (a.cfg:7)"));
  EXPECT_THAT(entries("train.steps = 5\n"), ElementsAre("train.steps = 5 (a.cfg:1)")) << "without a section";
  EXPECT_THAT(entries("task.file = a\tb#c\t# a comment\n"), ElementsAre("task.file = a\tb#c (a.cfg:1)"));
}

TEST(ConfigFile, WindowsLinesTabsAByteOrderMarkAndNoLastNewlineAreFine) {
  EXPECT_THAT(entries("\xEF\xBB\xBF[train]\r\n\tsteps\t=\t5\r\nbatch = 3"),
              ElementsAre("train.steps = 5 (a.cfg:2)", "train.batch = 3 (a.cfg:3)"));
}

// [row NAME] and [compare]: what they mean is in rows_test.cpp.
TEST(ConfigFile, RowsComeInOrderAndTheirKeysAreInFull) {
  EXPECT_THAT(entries("[row wide, slow]\nmodel.d_model = 64\ntrain.learning_rate = 1e-4\n[row b]\n"),
              ElementsAre("[row wide, slow]  =  (a.cfg:1)", "[row wide, slow] model.d_model = 64 (a.cfg:2)",
                          "[row wide, slow] train.learning_rate = 1e-4 (a.cfg:3)", "[row b]  =  (a.cfg:4)"));
}

TEST(ConfigFile, ANameOfARowMayHoldWhatANameMayHold) {
  for (const std::string name : {"a.", "a.b", "rope(base=500)", "a = b", "train", "d_model 64 (wide)"}) {
    EXPECT_THAT(
        entries("[row   " + name + " ]\nmodel.d_model = 64\n"),
        ElementsAre("[row " + name + "]  =  (a.cfg:1)", "[row " + name + "] model.d_model = 64 (a.cfg:2)"));
  }
}

TEST(ConfigFile, EachMistakeIsOneLine) {
  for (const auto& [text, problem] : std::vector<std::pair<std::string, std::string>>{
           // Keys below a section that is refused are no further mistakes.
           {"[]\nsteps = 5\nnonsense\n[train]\nbatch = 3\n",
            "a.cfg:1: got section [], expected a name such as [train]"},
           {"[  ]\n", "a.cfg:1: got section [  ], expected a name such as [train]"},
           {"[row ]\nmodel.heads = 2\n", "a.cfg:1: got section [row ], expected [row NAME]"},
           {"[comprae]\nmodel.heads = 2, 4\ntrain.steps = 2\n",
            "a.cfg:1: got section [comprae], expected [train] or [row NAME] (did you mean compare?)"},
           {"[claims a]\nwords = b\nsource = c\n",
            "a.cfg:1: got section [claims a], expected [train] or [row NAME]"},
           {"[task]\nfile = my#book.txt\n",
            "a.cfg:2: task.file: got a value with # or a line break, which a config cannot hold (put a space "
            "before a comment)"},
           {"[train]\nsteps 5\n", "a.cfg:2: got 'steps 5', expected key = value or [section]"},
           {"= 3\n", "a.cfg:1: got '= 3', expected key = value or [section]"},
           {" =x # y\n", "a.cfg:1: got '=x', expected key = value or [section]"},
           {"[compare]\n= rope\n", "a.cfg:2: got '= rope', expected key = value or [section]"},
           {std::string("a\0= 3\n= 4\n", 10),
            "a.cfg: got a binary file, expected a text of lines key = value"},
           {"[train]\nlearnin_rate = 1\n",
            "a.cfg:2: unknown key train.learnin_rate (did you mean train.learning_rate?)"},
           {"[row a]\nheads = 1\n", "a.cfg:2: unknown key [row a] heads (did you mean model.heads?)"},
           {"[train]\nsteps = 1\nbatch = 2\nsteps = 3\n", "a.cfg:4: train.steps: already set in line 2"},
           {"[claim T1]\nfoo = 1\n",
            "a.cfg:2: unknown key [claim T1] foo, expected one of words, statement, source, registered, "
            "looks, again, note"},
           {"[withdrawn T1]\nnote = 1\n",
            "unknown key [withdrawn T1] note, expected one of words, reason, then"},
           {"[row a]\nmodel.heads = 1\n[row b]\n[row a]\nmodel.heads = 2\n",
            "a.cfg:5: [row a] model.heads: already set in line 2"}})
    EXPECT_THAT(problems_of(text), ElementsAre(HasSubstr(problem))) << text;
  EXPECT_THAT(problems_of("[task]\nname = copy   # the task\n[row a]\nmodel.heads = 1\n"
                          "[row b]\nmodel.heads = 2\n[compare]\ntune.train.learning_rate = 1, 2\n"),
              IsEmpty());
}

}  // namespace
}  // namespace ordinal::experiments

// Command lines, including those that Boost.Program_options handles badly; each mistake gives one line.
#include "experiments/settings/command_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/settings/checks.h"
#include "tests/experiments/settings/command.h"
#include "tests/framework/storage/scratch_folder.h"

namespace ordinal::experiments {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

CommandLine parse(const std::vector<std::string>& words) { return parsed(train_like(Builds::model), words); }

std::vector<std::string> problems_of(const std::vector<std::string>& words) {
  return refusals(train_like(Builds::model), words);
}

TEST(CommandLine, OptionsWinOverFilesAndLaterFilesOverEarlierOnes) {
  const std::string first = config("first.cfg", "[train]\nsteps = 200\nbatch = 3\nclip = 5\n");
  const std::string second = config("second.cfg", "[train]\nbatch = 4\nclip = 6\n");
  const CommandLine line =
      parse({"--train.clip=7", "--config", first, "--config", second, "--out", "folder"});
  for (const auto& [key, value, origin] :
       std::vector<std::array<std::string, 3>>{{"train.steps", "200", first + ":2"},
                                               {"train.batch", "4", second + ":2"},
                                               {"train.clip", "7", "command line"},
                                               {"train.accumulate", "1", "default"}}) {
    EXPECT_EQ(line.settings.text(key), value);
    EXPECT_EQ(line.settings.origin(key), origin);
  }
  EXPECT_EQ(line.out, "folder");
}

TEST(CommandLine, ALaterSourceReplacesTheFilesOfAnEarlierOne) {
  const std::string path = config("files.cfg", "[task]\nfile = a.txt\nfile = b.txt\n");
  EXPECT_THAT(parse({"--config", path}).settings->task.file, ElementsAre("a.txt", "b.txt"));
  EXPECT_THAT(parse({"--config", path, "--task.name=text", "--task.file=c.txt", "--task.file=d.txt"})
                  .settings->task.file,
              ElementsAre("c.txt", "d.txt"));
}

// A file may be shared by several programs; the command line is for this one.
TEST(CommandLine, KeysOfOtherProgramsAreReadFromFilesAlone) {
  const DriverDescription small{.name = "small", .summary = "", .sections = {"train"}};
  const std::string path = config("others.cfg", "[model]\nd_model = 5\n[compare]\nmodel.layers = 1, 2\n");
  EXPECT_THAT(refusals(small, {"--config", path}), IsEmpty());
}

TEST(CommandLine, AFileOfAnotherProgramAloneIsRefusedWithItsName) {
  const std::string path = config("benchmark.cfg", "[benchmark]\nsteps = 2\nsizes = tiny\n");
  const std::string mixed = config("mixed.cfg", "[benchmark]\nsteps = 2\n[train]\nsteps = 3\n");
  const DriverDescription small{.name = "small", .summary = "", .sections = {"train"}};
  EXPECT_THAT(
      refusals(small, {"--config", path}),
      ElementsAre(path +
                  ": got keys of [benchmark] alone, expected those of small; start benchmark with it"));
  EXPECT_THAT(refusals(small, {"--config", mixed}), IsEmpty());
  EXPECT_THAT(problems_of({"--config", path}), IsEmpty()) << "it reads [benchmark]";
}

TEST(CommandLine, AnOptionHasOneValue) {
  for (const std::string option : {"out", "train.steps", "train.learning_rate"})
    EXPECT_THAT(
        problems_of({"--" + option + "=5", "--" + option, "7", "--quiet", "--quiet"}),
        ElementsAre("command line: --" + option + ": got 5, then 7, expected one value (leave one out)"));
  EXPECT_THAT(problems_of({"--train.steps=5", "--train.steps=5", "--out=a", "--out", "a"}), IsEmpty());
}

TEST(CommandLine, AValueMayFollowAsAWordOrAfterAnEqualsSign) {
  EXPECT_EQ(parse({"--model", "m", "--train.steps", "500"}).settings->train.steps, 500);
  EXPECT_EQ(parse({"--model=m", "--train.steps=500"}).settings->train.steps, 500);
  EXPECT_EQ(parse({"--model=a=b"}).model, "a=b");
  EXPECT_EQ(parse({"--out=--quiet"}).out, "--quiet");
  EXPECT_EQ(parse({"--threads=0"}).threads, 0);
}

TEST(CommandLine, EachMistakeIsOneLine) {
  EXPECT_THAT(problems_of({"--train.steps=-1"}),
              ElementsAre("command line: train.steps: got -1, expected a whole number from 0 to 1000000000"));
  EXPECT_THAT(problems_of({"--train.stepz", "3", "--quiet"}),
              ElementsAre("command line: unknown option --train.stepz (did you mean --train.steps?)"));
  EXPECT_THAT(problems_of({"--train.stepz=3", "a.cfg"}),
              ElementsAre(HasSubstr("--train.stepz"), HasSubstr("--config a.cfg")));
  for (const std::string option : {"--out", "--model", "--config"})
    EXPECT_THAT(problems_of({option + "="}), Contains(option + ": got an empty value, expected a name"));
  for (const auto& [words, line] : std::vector<std::pair<std::vector<std::string>, std::string>>{
           // Numbers, names and choices; all kinds of values are in keys_test.cpp.
           {{"--train.steps", "-5"}, "train.steps: got -5, expected"},
           {{"--threads=-1"}, "--threads: got -1, expected"},
           {{"--threads="}, "--threads: got '', expected"},
           {{"--precision=half"}, "expected one of float, double"},
           {{"--model.encoding=rope+aliby"}, "got 'aliby' (did you mean alibi?), expected"},
           {{"--task.name=juggling"}, "got 'juggling', expected one of"},  // none is near
           // Options without a value, or with one too many.
           {{"--out", "--quiet"}, "--out has no value before --quiet"},
           {{"--train.steps"}, "'--train.steps' is missing"},
           {{"--train.steps="}, "train.steps: got ''"},
           {{"--quiet=1"}, "'--quiet' does not take any arguments"},
           // Options that there are not: of other programs, abbreviated, or in other letters.
           {{"--train.step=1"}, "unknown option --train.step (did you mean --train.steps?)"},
           {{"--Steps=1"}, "unknown option --Steps (did you mean --train.steps?)"},
           {{"--ou=x"}, "unknown option --ou (did you mean --out?)"},
           {{"--Quiet"}, "unknown option --Quiet"},
           {{"--x="}, "unknown option --x"},
           {{"--tokens=a.npy"}, "unknown option --tokens"},
           // Words that are no options.
           {{"a.cfg"}, "(for a config file: --config a.cfg)"},
           {{"train.steps=3"}, "(such as --train.steps=3)"},
           {{"a.safetensors"}, "got 'a.safetensors', expected an option such as --help"},
           {{"-h"}, "got '-h', expected an option such as"},
           {{"-"}, "got '-', expected an option such as"},
           {{"--"}, "got '--', expected an option such as"},
           {{""}, "got '', expected an option"},
           // Values that resolved.cfg or a checkpoint could not hold.
           {{"--task.file=my#book.txt"}, "task.file: got a value with #"},
           {{"--task.file=a\nb"}, "task.file: got a value with #"},
           {{"--task.file= a.txt"}, "and a config cannot hold the spaces around it"}})
    EXPECT_THAT(problems_of(words), ElementsAre(HasSubstr(line))) << words.front();
}

TEST(CommandLine, ATextThatNoCheckpointCanHoldIsRefused) {
  for (const std::string text :
       {"\xFF", "a\xFE", "\xC3", "\xC3(", "\xE2\x82", "\xED\xA0\x80", "\xC0\xAF", "gr\xF6\xDF.txt"}) {
    EXPECT_THAT(
        problems_of({"--task.file=" + text}),
        ElementsAre(HasSubstr("task.file: got a text that is not UTF-8, which a checkpoint cannot hold")));
  }
  for (const std::string text : {"größe.txt", "\xE2\x82\xAC", "\xF0\x9F\x98\x80"}) {
    EXPECT_EQ(parse({"--task.name=text", "--task.file=" + text}).settings.text("task.file"), text);
  }
  // A prompt is kept by neither.
  EXPECT_EQ(parse({"--generate.prompt=gr\xF6\xDF#3\n"}).settings.text("generate.prompt"), "gr\xF6\xDF#3\n");
  const ScratchFolder folder;
  write_raw(folder / "rows.cfg", "[row one]\nmodel.encoding = none\n[row tw\xFF]\nmodel.encoding = rope\n");
  EXPECT_THAT(problems_of({"--config=" + (folder / "rows.cfg").string()}),
              Contains(HasSubstr("is not UTF-8")));
}

TEST(CommandLine, IsQuotedAsAShellReadsIt) {
  EXPECT_EQ(quoted_for_shell("results/x-1.cfg"), "results/x-1.cfg");
  EXPECT_EQ(quoted_for_shell("a b;$c"), "'a b;$c'");
  EXPECT_EQ(quoted_for_shell("it's"), "'it'\\''s'");
  EXPECT_EQ(quoted_for_shell(""), "''");
  EXPECT_EQ(quoted_for_shell("a\033[2J"), "'a'$'\\x1b''[2J'") << "a terminal would obey it";
  EXPECT_EQ(parse({"--model", "m", "--generate.prompt=it's $5"}).invocation,
            "train --model m '--generate.prompt=it'\\''s $5'");
}

TEST(CommandLine, AllMistakesComeAtOnceFirstThoseOfFilesInTheOrderOfTheirLines) {
  const std::string path =
      config("order.cfg", "[train]\nbatch = 0\nstepz = 1\nwarmup = x\n[model]\nd_modle = 1\nheads = 0\n");
  EXPECT_THAT(problems_of({"--config", path, "--train.clip=x", "--nothing", "--config", "missing.cfg",
                           "--model.block=feed_forward(activation=a)"}),
              ElementsAre(HasSubstr(":2: train.batch: got 0"), HasSubstr(":3: unknown key train.stepz"),
                          HasSubstr(":4: train.warmup"), HasSubstr(":6: unknown key model.d_modle"),
                          HasSubstr(":7: model.heads"), HasSubstr("missing.cfg"),
                          HasSubstr("train.clip: got 'x'"), HasSubstr("unknown option --nothing"),
                          HasSubstr("model.block: feed_forward: activation: got 'a', expected one of")));
}

TEST(CommandLine, OptionsOutsideTheSectionsAreNoKeysOfAFile) {
  EXPECT_THAT(problems_of({"--config", config("out.cfg", "out = x\n"), "--out=y"}),
              ElementsAre(HasSubstr("out.cfg:1: unknown key out")));
}

TEST(CommandLine, HelpIsGivenWhateverElseIsWrong) {
  EXPECT_TRUE(parse({"--help", "--train.steps=x", "--nothing"}).help);
}

TEST(ResolvedConfig, OfSeveralFilesAndOptionsGivesTheSameSettings) {
  const std::string first =
      config("first.cfg",
             "\xEF\xBB\xBF[train]\r\nsteps = 30\r\n[task]\r\nname = text\r\nfile = a b.txt\r\nfile = c.txt");
  const std::string second =
      config("second.cfg", "compare.model.encoding = none,learned\n[train]\nbatch = 8\n");
  const Settings given = parse({"--config", first, "--config", second, "--evaluate.lengths=4x, 7",
                                "--experiment.seeds=5,", "--train.learning_rate=0.00012345678901234567",
                                "--generate.prompt=To be, or not", "--benchmark.encodings="})
                             .settings;
  const std::string resolved = given.resolved_config();
  const Settings again = parse({"--config", config("resolved.cfg", resolved)}).settings;
  EXPECT_EQ(again.resolved_config(), resolved);
  EXPECT_THAT(again->task.file, ElementsAre("a b.txt", "c.txt"));
  EXPECT_THAT(resolved, Not(HasSubstr("\r")));
}

}  // namespace
}  // namespace ordinal::experiments

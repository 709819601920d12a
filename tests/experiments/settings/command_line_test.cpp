#include "experiments/settings/words.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/experiments/settings/command.h"

namespace ordinal::experiments {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

CommandLine parse(const std::vector<std::string>& words) { return parsed(train_like(Builds::model), words); }

std::string problems_of(const std::vector<std::string>& words) {
  return joined(refusals(train_like(Builds::model), words), "\n");
}

TEST(CommandLine, OptionsWinOverFilesAndLaterFilesOverEarlierOnes) {
  const std::string first = config("first.cfg", "[train]\nsteps = 200\nbatch = 3\nclip = 5\n");
  const std::string second = config("second.cfg", "[train]\nbatch = 4\nclip = 6\n");
  const CommandLine line =
      parse({"--train.clip=7", "--config", first, "--config", second, "--out", "folder"});
  EXPECT_EQ(line.settings.integer("train.steps"), 200);
  EXPECT_EQ(line.settings.integer("train.batch"), 4);
  EXPECT_EQ(line.settings.real("train.clip"), 7.0);
  EXPECT_EQ(line.settings.integer("train.accumulate"), 1);
  EXPECT_EQ(line.settings.origin("train.steps"), first + ":2");
  EXPECT_EQ(line.settings.origin("train.batch"), second + ":2");
  EXPECT_EQ(line.settings.origin("train.clip"), "command line");
  EXPECT_EQ(line.settings.origin("train.accumulate"), "default");
  EXPECT_EQ(line.out, "folder");
}

TEST(CommandLine, ALaterSourceReplacesTheFilesOfAnEarlierOne) {
  const std::string path = config("files.cfg", "[task]\nfile = a.txt\nfile = b.txt\n");
  EXPECT_THAT(parse({"--config", path}).settings.list("task.file"), ElementsAre("a.txt", "b.txt"));
  EXPECT_THAT(parse({"--config", path, "--task.name=text", "--task.file=c.txt", "--task.file=d.txt"})
                  .settings.list("task.file"),
              ElementsAre("c.txt", "d.txt"));
  EXPECT_EQ(
      problems_of({"--task.file=c.txt", "--task.file=d.txt"}),
      "task.file = c.txt, d.txt would change nothing: no task reads files, expected text or mlm(of=text)");
}

// A file may be shared by several programs; the command line is for this one.
TEST(CommandLine, KeysOfOtherProgramsAreReadFromFilesAlone) {
  const DriverDescription small{.name = "small", .summary = "", .sections = {"train"}};
  const auto problems = [&](const std::string& word, const std::string& value) {
    return joined(refusals(small, {word, value}), "\n");
  };
  EXPECT_EQ(problems("--train.steps", "5"), "");
  EXPECT_THAT(problems("--model.d_model", "5"), HasSubstr("model.d_model: small does not read it"));
  EXPECT_EQ(
      problems("--config", config("others.cfg", "[model]\nd_model = 5\n[compare]\nmodel.layers = 1, 2\n")),
      "");
}

TEST(CommandLine, NumbersMustBeNumbersAsAWhole) {
  EXPECT_EQ(problems_of({"--train.steps=-1"}),
            "command line: train.steps: got -1, expected a whole number from 0 to 1000000000");
  EXPECT_THAT(problems_of({"--train.steps=3x"}), HasSubstr("got '3x', expected a whole number"));
  EXPECT_THAT(problems_of({"--train.steps=1.5"}), HasSubstr("got '1.5', expected a whole number"));
  EXPECT_THAT(problems_of({"--train.steps=99999999999999999999"}), HasSubstr("train.steps"));
  EXPECT_THAT(problems_of({"--train.learning_rate=nan"}), HasSubstr("got 'nan', expected a number"));
  EXPECT_THAT(problems_of({"--train.learning_rate=-0.1"}),
              HasSubstr("got -0.1, expected a number of at least 0"));
  EXPECT_THAT(problems_of({"--model.dropout=1"}), HasSubstr("model.dropout"));
  EXPECT_THAT(problems_of({"--model.causal=maybe"}), HasSubstr("got 'maybe', expected true or false"));
  EXPECT_THAT(problems_of({"--train.schedule=step"}),
              HasSubstr("got 'step', expected one of constant, cosine, linear, inverse_sqrt"));
}

TEST(CommandLine, APathWithoutRoomForFilesIsRefused) {
  const std::string out = "--out=" + std::string(3000, 'x');
  EXPECT_EQ(problems_of({out}), "");
  EXPECT_THAT(problems_of({out + "y"}), HasSubstr("--out: got a path of 3001 bytes, expected at most 3000"));
}

TEST(CommandLine, IsQuotedAsAShellReadsIt) {
  EXPECT_EQ(quoted_for_shell("results/x-1.cfg"), "results/x-1.cfg");
  EXPECT_EQ(quoted_for_shell("a b;$c"), "'a b;$c'");
  EXPECT_EQ(quoted_for_shell("it's"), "'it'\\''s'");
  EXPECT_EQ(quoted_for_shell(""), "''");
  EXPECT_EQ(quoted_for_shell("a\033[2J"), "'a'$'\\x1b''[2J'") << "a terminal would obey it";
}

TEST(CommandLine, AnAbbreviationIsNoOption) {
  EXPECT_THAT(problems_of({"--train.step=5"}),
              HasSubstr("unknown option --train.step (did you mean --train.steps?)"));
  EXPECT_THAT(problems_of({"--ou=x"}), HasSubstr("did you mean --out?"));
}

TEST(CommandLine, AnUnknownOptionNamesWhatIsMeant) {
  for (const auto& [given, meant] :
       {std::pair{"--lr=1", "train.learning_rate"}, std::pair{"--batch_size=1", "train.batch"},
        std::pair{"--num_layers=1", "model.layers"}, std::pair{"--stepz=1", "train.steps"},
        std::pair{"--Steps=1", "train.steps"}, std::pair{"--optimizr=sgd", "train.optimizer"}})
    EXPECT_THAT(problems_of({given}), HasSubstr(fmt::format("(did you mean --{}?)", meant))) << given;
}

TEST(CommandLine, ARemovedOptionNamesWhatToUseInstead) {
  const std::string line =
      "command line: --completion was removed: --help shows all options and keys, --list NAME a part "
      "with its options";
  EXPECT_EQ(problems_of({"--completion=bash"}), line);
  EXPECT_EQ(problems_of({"--completion", "zsh"}), line);
  EXPECT_EQ(problems_of({"--plan-ranks=4"}),
            "command line: --plan-ranks was removed: progress shows the time left after the first training");
}

TEST(CommandLine, AMistypedNameOfAPartNamesTheNearest) {
  EXPECT_THAT(problems_of({"--model.encoding=rope+aliby"}),
              HasSubstr("got 'aliby' (did you mean alibi?), expected"));
  EXPECT_THAT(problems_of({"--task.name=Language"}),
              HasSubstr("got 'Language' (did you mean language?), expected"));
  EXPECT_THAT(problems_of({"--task.name=juggling"}), HasSubstr("got 'juggling', expected one of"))
      << "none is near";
}

TEST(CommandLine, TheMistakesOfAFileComeInTheOrderOfItsLines) {
  const std::string path =
      config("order.cfg", "[train]\nbatch = 0\nstepz = 1\nwarmup = x\n[model]\nd_modle = 1\nheads = 0\n");
  const std::string problems = problems_of({"--config", path});
  std::size_t before = 0;
  for (const char* line : {":2: train.batch", ":3: unknown key train.stepz", ":4: train.warmup",
                           ":6: unknown key model.d_modle", ":7: model.heads"}) {
    const std::size_t at = problems.find(line);
    ASSERT_NE(at, std::string::npos) << line << "\n" << problems;
    EXPECT_GE(at, before) << problems;
    before = at;
  }
}

TEST(CommandLine, AWordThatIsNoOptionIsReportedWithAHint) {
  EXPECT_THAT(problems_of({"a.cfg"}), HasSubstr("(for a config file: --config a.cfg)"));
}

TEST(CommandLine, AllProblemsComeAtOnce) {
  const std::string path = config("wrong.cfg", "[train]\nstepz = 1\nbatch = 0\n");
  EXPECT_THAT(problems_of({"--config", path, "--train.clip=x", "--nothing", "--config", "missing.cfg"}),
              AllOf(HasSubstr("unknown key train.stepz"), HasSubstr("train.batch: got 0"),
                    HasSubstr("train.clip"), HasSubstr("--nothing"), HasSubstr("missing.cfg")));
}

TEST(CommandLine, HelpListsTheKeysOfItsSectionsWithDefaults) {
  const std::string help = help_text({.name = "train", .summary = "", .sections = {"train"}});
  for (const Key& key : all_keys()) {
    EXPECT_EQ(help.find("--" + key.name + " ") != std::string::npos, key.section() == "train") << key.name;
  }
  EXPECT_THAT(help, HasSubstr("[1000]"));
}

}  // namespace
}  // namespace ordinal::experiments

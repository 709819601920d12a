// Command lines that Boost.Program_options handles badly; each mistake gives one line.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/settings/checks.h"
#include "tests/experiments/settings/command.h"
#include "tests/framework/storage/scratch_folder.h"

namespace ordinal::experiments {
namespace {

using ::testing::AnyOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

DriverDescription driver_of_model() {
  DriverDescription driver_of_model = train_like(Builds::model);
  driver_of_model.required = {"model"};
  return driver_of_model;
}

CommandLine parse_for_model(const std::vector<std::string>& words) {
  return parsed(driver_of_model(), words);
}

std::vector<std::string> problems_with_model(std::vector<std::string> words) {
  if (words.empty() || words.back() != "no model") words.emplace_back("--model=m");
  if (words.back() == "no model") words.pop_back();
  return refusals(driver_of_model(), words);
}

TEST(CommandLineTraps, AValueMayFollowAsAWordOrAfterAnEqualsSign) {
  EXPECT_EQ(parse_for_model({"--model", "m", "--train.steps", "500"}).settings.integer("train.steps"), 500);
  EXPECT_EQ(parse_for_model({"--model=m", "--train.steps=500"}).settings.integer("train.steps"), 500);
  EXPECT_EQ(parse_for_model({"--model=a=b"}).model, "a=b");
  EXPECT_THAT(problems_with_model({"--train.steps", "-5"}),
              ElementsAre(HasSubstr("train.steps: got -5, expected")));
}

TEST(CommandLineTraps, AnOptionIsNeverTheValueOfAnother) {
  EXPECT_THAT(problems_with_model({"--out", "--quiet"}),
              ElementsAre(HasSubstr("--out has no value before --quiet")));
  EXPECT_EQ(parse_for_model({"--model=m", "--out=--quiet"}).out, "--quiet");
}

TEST(CommandLineTraps, AnOptionWithoutItsValueIsOneProblem) {
  EXPECT_THAT(problems_with_model({"--train.steps", "no model"}),
              ElementsAre(HasSubstr("'--train.steps' is missing")));
  EXPECT_THAT(problems_with_model({"--train.steps=", "no model"}).at(0), HasSubstr("train.steps"));
}

TEST(CommandLineTraps, ASwitchTakesNoValue) {
  EXPECT_THAT(problems_with_model({"--quiet=1"}),
              ElementsAre(HasSubstr("'--quiet' does not take any arguments")));
}

TEST(CommandLineTraps, AnUnknownOptionAndItsValueAreOneProblem) {
  EXPECT_THAT(problems_with_model({"--train.stepz", "3", "--quiet"}),
              ElementsAre("command line: unknown option --train.stepz (did you mean --train.steps?)"));
  EXPECT_THAT(problems_with_model({"--train.stepz=3", "a.cfg"}),
              ElementsAre(HasSubstr("--train.stepz"), HasSubstr("--config a.cfg")));
}

TEST(CommandLineTraps, OptionsOfOtherDriversAreUnknown) {
  EXPECT_THAT(problems_with_model({"--tokens=a.npy"}), ElementsAre(HasSubstr("unknown option --tokens")));
}

TEST(CommandLineTraps, AbbreviationsAndOtherSpellingsAreUnknown) {
  for (const std::string word :
       {"--train.step=1", "--quie", "--Quiet", "--train.STEPS=1", "--steps=1", "--x="}) {
    EXPECT_THAT(problems_with_model({word}), ElementsAre(StartsWith("command line: unknown option --")))
        << word;
  }
  for (const std::string word : {"-h", "-q", "-", "--"}) {
    EXPECT_THAT(problems_with_model({word}),
                ElementsAre(HasSubstr("got '" + word + "', expected an option such as")));
  }
  EXPECT_THAT(problems_with_model({""}), ElementsAre(HasSubstr("got '', expected an option")));
}

TEST(CommandLineTraps, RequiredOptionsAreNamed) {
  EXPECT_THAT(problems_with_model({"no model"}), ElementsAre("--model is missing (see train --help)"));
}

TEST(CommandLineTraps, ThreadsAndPrecisionAreChecked) {
  for (const std::string wrong : {"-1", "x", "1.5", "", "1025", "99999999999999999999"}) {
    EXPECT_THAT(problems_with_model({"--threads=" + wrong}),
                ElementsAre(AnyOf(HasSubstr("--threads: got " + wrong + ", expected"),
                                  HasSubstr("--threads: got '" + wrong + "', expected"))));
  }
  EXPECT_EQ(parse_for_model({"--model=m", "--threads=0"}).threads, 0);
  EXPECT_THAT(problems_with_model({"--precision=half"}),
              ElementsAre(HasSubstr("expected one of float, double")));
}

TEST(CommandLineTraps, HelpIsGivenWhateverElseIsWrong) {
  EXPECT_TRUE(parse_for_model({"--help", "--train.steps=x", "--nothing"}).help);
}

// resolved.cfg must be able to reproduce it.
TEST(CommandLineTraps, AValueThatNoConfigCanHoldIsRefused) {
  EXPECT_THAT(problems_with_model({"--task.file=my#book.txt"}),
              ElementsAre(HasSubstr("task.file: got a value with #")));
  EXPECT_THAT(problems_with_model({"--task.file=a\nb"}),
              ElementsAre(HasSubstr("task.file: got a value with #")));
  EXPECT_EQ(parse_for_model({"--model=m", "--generate.prompt=#3\n"}).settings.text("generate.prompt"),
            "#3\n");
}

TEST(CommandLineTraps, ATextThatNoCheckpointCanHoldIsRefused) {
  for (const std::string text :
       {"\xFF", "a\xFE", "\xC3", "\xC3(", "\xE2\x82", "\xED\xA0\x80", "\xC0\xAF", "gr\xF6\xDF.txt"}) {
    EXPECT_THAT(
        problems_with_model({"--task.file=" + text}),
        ElementsAre(HasSubstr("task.file: got a text that is not UTF-8, which a checkpoint cannot hold")));
  }
  EXPECT_EQ(parse_for_model({"--model=m", "--generate.prompt=gr\xF6\xDF"}).settings.text("generate.prompt"),
            "gr\xF6\xDF");
  for (const std::string text : {"größe.txt", "\xE2\x82\xAC", "\xF0\x9F\x98\x80"}) {
    EXPECT_EQ(
        parse_for_model({"--model=m", "--task.name=text", "--task.file=" + text}).settings.text("task.file"),
        text);
  }
  const ScratchFolder folder;
  write_raw(folder / "rows.cfg", "[row one]\nmodel.encoding = none\n[row tw\xFF]\nmodel.encoding = rope\n");
  EXPECT_THAT(problems_with_model({"--config=" + (folder / "rows.cfg").string()}),
              Contains(HasSubstr("is not UTF-8")));
}

TEST(CommandLineTraps, SpacesAroundAFileAreRefused) {
  for (const char* name : {" a.txt", "a.txt ", " "}) {
    EXPECT_THAT(problems_with_model({std::string("--task.file=") + name}),
                ElementsAre(HasSubstr("and a config cannot hold the spaces around it")));
  }
}

TEST(CommandLineTraps, AnEmptyNameIsRefused) {
  for (const char* option : {"out", "model", "config"}) {
    EXPECT_THAT(problems_with_model({std::string("--") + option + "="}),
                Contains(std::string("--") + option + ": got an empty value, expected a name"));
  }
}

TEST(CommandLineTraps, TheInvocationCanBeTypedAgain) {
  EXPECT_EQ(parse_for_model({"--model", "m", "--generate.prompt=it's $5"}).invocation,
            "train --model m '--generate.prompt=it'\\''s $5'");
}

TEST(CommandLineTraps, ProblemsOfSeveralKeysComeTogether) {
  EXPECT_THAT(problems_with_model({"--train.stepz=1", "--model.norm=n",
                                   "--model.block=feed_forward(activation=a)", "--task.name=t"}),
              ::testing::UnorderedElementsAre(
                  HasSubstr("train.stepz"), HasSubstr("model.norm: got 'n', expected one of layernorm"),
                  HasSubstr("model.block: feed_forward: activation: got 'a', expected one of"),
                  HasSubstr("task.name: got 't'")));
}

TEST(Warmup, OfADefaultOrAConfigGivesWayToAShorterRun) {
  const std::string path = config("warmup.cfg", "[train]\nsteps = 1000\nwarmup = 300\n");
  EXPECT_EQ(parse_for_model({"--model=m", "--train.steps=50"}).settings.integer("train.warmup"), 50);
  const Settings cut = parse_for_model({"--model=m", "--config", path, "--train.steps=200"}).settings;
  EXPECT_EQ(cut.integer("train.warmup"), 200);
  EXPECT_EQ(cut.origin("train.warmup"), path + ":3, cut to train.steps");
  EXPECT_EQ(parse_for_model({"--model=m", "--config", path}).settings.integer("train.warmup"), 300);
  EXPECT_EQ(parse_for_model({"--model=m", "--config", config("warmup2.cfg", cut.resolved_config())})
                .settings.integer("train.warmup"),
            200);
}

TEST(Warmup, ThatWasAskedForMustFit) {
  const std::string path = config("short.cfg", "[train]\nsteps = 10\nwarmup = 20\n");
  const std::string problem =
      "train.warmup = 20 exceeds train.steps = 10; lower train.warmup or raise train.steps";
  for (std::vector<std::string> words : std::vector<std::vector<std::string>>{
           {"--config", path},
           {"--train.steps=10", "--train.warmup=20"},
           {"--config", config("ten.cfg", "[train]\nsteps = 10\n"), "--train.warmup=20"}}) {
    words.emplace_back("--model=m");
    EXPECT_THAT([&] { check_training(parse_for_model(words).settings); },
                ::testing::ThrowsMessage<ConfigError>(problem));
  }
}

// The saved config reproduces the run, from any files and options.
TEST(ResolvedConfig, OfSeveralFilesAndOptionsGivesTheSameSettings) {
  const std::string first =
      config("first.cfg",
             "\xEF\xBB\xBF[train]\r\nsteps = 30\r\n[task]\r\nname = text\r\nfile = a b.txt\r\nfile = c.txt");
  const std::string second =
      config("second.cfg", "compare.model.encoding = none,learned\n[train]\nbatch = 8\n");
  const Settings given =
      parse_for_model({"--model=m", "--config", first, "--config", second, "--evaluate.lengths=4x, 7",
                       "--train.learning_rate=1.25e-05", "--benchmark.sizes="})
          .settings;
  const std::string resolved = given.resolved_config();
  const Settings again =
      parse_for_model({"--model=m", "--config", config("resolved.cfg", resolved)}).settings;
  for (const Key& key : all_keys()) EXPECT_EQ(again.text(key.name), given.text(key.name)) << key.name;
  EXPECT_EQ(again.resolved_config(), resolved);
  EXPECT_THAT(again.list("task.file"), ElementsAre("a b.txt", "c.txt"));
  EXPECT_THAT(resolved, Not(HasSubstr("\r")));
}

}  // namespace
}  // namespace ordinal::experiments

// Names that are no keys: each gets one line with how to write what was meant.
#include "experiments/settings/unknown_keys.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/settings/keys.h"
#include "experiments/settings/parts.h"
#include "tests/experiments/settings/command.h"

namespace ordinal::experiments {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(UnknownKeys, ThatAreOptionsOfPartsStandInTheirBrackets) {
  EXPECT_EQ(hint_for("positional.base", "500"),
            ": it is an option of sinusoidal, rope, xpos, transformer_xl, write "
            "model.encoding = sinusoidal(base=500)");
  EXPECT_EQ(
      hint_for("task.values", "1"),
      ": it is an option of language, associative_recall, needle, write task.name = language(values=1)");
  EXPECT_EQ(hint_for("train.beta2", "0.9"),
            ": it is an option of adamw, write train.optimizer = adamw(beta2=0.9)");
  EXPECT_EQ(hint_for("evaluate.stride", "5"),
            ": it is an option of truncated, write evaluate.conditions = truncated(stride=5)");
  EXPECT_EQ(hint_for("positional.yarn_beta", "5"),
            ": it is an option of yarn, write model.encoding = rope@yarn(yarn_beta=5)");
}

// An option of the same name in another section does not distract.
TEST(UnknownKeys, MeanOptionsOfTheirSection) {
  EXPECT_THAT(hint_for("train.epsilon", "1"), StartsWith(": it is an option of adamw, write"));
  EXPECT_THAT(hint_for("model.epsilon", "1"), StartsWith(": it is an option of layernorm, rmsnorm, write"));
  EXPECT_THAT(hint_for("epsilon", "1"), StartsWith(": it is an option of layernorm, rmsnorm, adamw, write"));
}

// What is compared is shown without its values, which one pair of brackets does not hold.
TEST(UnknownKeys, MayBeCompared) {
  EXPECT_EQ(hint_for("compare.train.beta2", "0.9, 0.99"),
            ": it is an option of adamw, write train.optimizer = adamw(beta2=…)");
  EXPECT_EQ(hint_for("compare.tune.train.stepz", "1, 2"), " (did you mean train.steps?)");
}

TEST(UnknownKeys, OfEveryOptionNameAPartThatHasIt) {
  for (const PartKind& kind : part_kinds()) {
    for (const PartInfo& part : kind.parts) {
      for (const OptionSpec& option : part.options) {
        const std::string name = kind.form.substr(0, kind.form.find('.') + 1) + option.name;
        if (find_key(name) != nullptr) continue;
        EXPECT_THAT(hint_for(name, "x"), HasSubstr(" option of ")) << name;
        EXPECT_THAT(hint_for(name, "x"), HasSubstr(part.name)) << name;
      }
    }
  }
}

TEST(UnknownKeys, OfEarlierVersionsAreWrittenOtherwise) {
  EXPECT_EQ(hint_for("positional.encodings", "rope, t5"), ": write compare.model.encoding = rope, t5");
  EXPECT_EQ(hint_for("positional.encoding", "rope"), ": write model.encoding = rope");
  EXPECT_EQ(hint_for("compare.positional.encoding", "rope, t5"), ": write compare.model.encoding = rope, t5");
  EXPECT_EQ(hint_for("positional.train_length", "7"), ": write model.train_length = 7");
  EXPECT_EQ(hint_for("positional.dropout", "0.1"), ": write model.positional_dropout = 0.1");
  EXPECT_EQ(hint_for("experiment.seed", "7"), ": write experiment.seeds = 7, with a comma");
  EXPECT_EQ(hint_for("positional.positions", "yarn"),
            ": positions stand behind @, write model.encoding = rope@yarn");
  EXPECT_EQ(hint_for("positional.test_positions", "yarn"),
            ": positions stand behind @, write model.encoding = rope@contiguous:yarn");
  EXPECT_EQ(hint_for("finetune.positions", "yarn"),
            ": positions stand behind @, write finetune.encoding = rope@yarn");
}

TEST(UnknownKeys, MeanTheNearestNameWithinADistance) {
  EXPECT_EQ(hint_for("train.stepz", "1"), " (did you mean train.steps?)");
  EXPECT_EQ(hint_for("model.steps", "1"), " (did you mean train.steps?)");
  EXPECT_EQ(hint_for("lr", "1"), " (did you mean train.learning_rate?)");
  EXPECT_EQ(hint_for("train.lr", "1"), " (did you mean train.learning_rate?)");
  EXPECT_EQ(hint_for("train.beta3", "1"),
            " (did you mean beta1?): it is an option of adamw, write train.optimizer = adamw(beta1=1)");
}

TEST(UnknownKeys, NearNothingAreAnsweredWithTheList) {
  EXPECT_EQ(hint_for("benchmark.qqqqqqqqq", "1"), ", expected one of sizes, encodings, steps");
  EXPECT_THAT(hint_for("qqqqqqqqqqqqqq", "1"), StartsWith(", expected a key of experiment, task, model, "));
}

TEST(UnknownKeys, AreOneLineWhereverTheyAreWritten) {
  const DriverDescription driver = train_like(Builds::rows);
  const std::string path = config(
      "old.cfg", "[positional]\nbase = 500\n[compare]\ntrain.beta2 = 0.9, 0.99\n[row a]\nmodel.ff = 7\n");
  EXPECT_THAT(
      refusals(driver, {"--config", path, "--task.symbols=5", "--positional.scale", "3"}),
      ElementsAre(
          "command line: unknown option --task.symbols: it is an option of copy, reverse, copy_repeat, "
          "replace, sort, mode, count, reverse_string, duplicate_string, odds_first, bucket_sort, write "
          "task.name = copy(symbols=5)",
          "command line: unknown option --positional.scale: it is an option of interpolated, ntk, yarn, "
          "longrope, write model.encoding = rope@interpolated(scale=…)",
          StartsWith(path + ":2: unknown key positional.base: it is an option of"),
          StartsWith(path + ":4: unknown key compare.train.beta2: it is an option of adamw"),
          StartsWith(path + ":6: unknown key model.ff: it is an option of feed_forward")));
}

}  // namespace
}  // namespace ordinal::experiments

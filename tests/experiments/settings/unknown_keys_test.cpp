// Names that are no keys: each gets one line with how to write what was meant.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/settings/keys.h"
#include "experiments/settings/parts.h"

namespace ordinal::experiments {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(UnknownKeys, AreAnsweredWithHowToWriteWhatWasMeant) {
  for (const auto& [key, value, hint] : std::vector<std::array<std::string, 3>>{
           // Options of parts stand in their brackets; those of the section come first.
           {"positional.base", "500",
            ": it is an option of sinusoidal, rope, xpos, transformer_xl, pope, grape_m, write "
            "model.encoding = "
            "sinusoidal(base=500)"},
           {"train.beta2", "0.9",
            ": it is an option of adamw, muon, write train.optimizer = adamw(beta2=0.9)"},
           {"positional.yarn_beta", "5",
            ": it is an option of yarn, write model.encoding = rope@yarn(yarn_beta=5)"},
           {"train.epsilon", "1",
            ": it is an option of adamw, muon, write train.optimizer = adamw(epsilon=1)"},
           {"epsilon", "1",
            ": it is an option of layernorm, rmsnorm, adamw, muon, write model.norm = layernorm(epsilon=1)"},
           // What is compared is shown without its values, which one pair of brackets does not hold.
           {"compare.train.beta2", "0.9, 0.99",
            ": it is an option of adamw, muon, write train.optimizer = adamw(beta2=…)"},
           {"compare.tune.train.stepz", "1, 2", " (did you mean train.steps?)"},
           // What other programs call it.
           {"n_layer", "2", ": write model.layers"},
           {"compare.train.lr", "1, 2", ": write compare.train.learning_rate"},
           // The nearest name within a distance.
           {"train.stepz", "1", " (did you mean train.steps?)"},
           {"model.steps", "1", " (did you mean train.steps?)"},
           // None is near.
           {"task.out_dir", "x", ", expected one of name, train_length, lengths, file"},
           {"benchmark.qqqqqqqqq", "1", ", expected one of sizes, encodings, steps"},
           {"benchmark.size", "tiny", " (did you mean benchmark.sizes?)"},  // also an option of window
           {"qqqqqqqqqqqqqq", "1",
            ", expected a key of experiment, task, model, train, finetune, evaluate, generate, encoding, "
            "claims, benchmark"}})
    EXPECT_EQ(hint_for(key, value), hint) << key;
}

TEST(UnknownKeys, OnACommandLineMayBeOptionsOutsideTheSections) {
  const std::vector<std::string> options = {"out", "quiet"};
  EXPECT_EQ(hint_for("quit", "", options, "--"), " (did you mean --quiet?)");
  EXPECT_EQ(hint_for("train.stepz", "1", options, "--"), " (did you mean --train.steps?)");
  const auto of_experiment = [](const Key& key) { return key.section() == "experiment"; };
  EXPECT_EQ(hint_for("seed", "3", options, "--"), " (did you mean --train.seed?)");
  EXPECT_EQ(hint_for("seed", "3", options, "--", of_experiment), " (did you mean --experiment.seeds?)");
  EXPECT_THAT(hint_for("out_dir", "x", options, "--"),
              StartsWith(", expected --out, --quiet, or a key of experiment, task, "));
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

}  // namespace
}  // namespace ordinal::experiments

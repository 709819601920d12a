// Every key, by its type: what it takes and what it refuses, in files and on the command line alike.
#include "experiments/settings/keys.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "experiments/settings/command_line.h"
#include "experiments/settings/config_file.h"
#include "framework/core/errors.h"

namespace ordinal {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

const DriverDescription driver{.name = "train",
                               .summary = "",
                               .examples = {},
                               .sections = {},
                               .options = {},
                               .required = {},
                               .encoding_key = ""};

std::string given_on_the_command_line(const Key& key, const std::string& value) {
  const std::string option = "--" + key.name + "=" + value;
  const char* const words[] = {"train", option.c_str()};
  try {
    parse_command_line(2, words, driver);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

TEST(Keys, AreNamedOnceInTheirSection) {
  std::set<std::string> names;
  for (const Key& key : all_keys()) {
    EXPECT_TRUE(names.insert(key.name).second) << key.name;
    EXPECT_EQ(std::ranges::count(key.name, '.'), 1) << key.name;
    EXPECT_FALSE(key.help.empty()) << key.name;
    EXPECT_EQ(find_key(key.name), &key);
  }
  EXPECT_EQ(find_key("train"), nullptr);
  EXPECT_EQ(find_key("train.Steps"), nullptr);
  EXPECT_EQ(find_key(""), nullptr);
}

// The names that scripts rely on.
TEST(Keys, OfTheContractAreAllThere) {
  for (const char* name : {"experiment.name",
                           "experiment.seeds",
                           "task.name",
                           "task.train_length",
                           "task.file",
                           "model.d_model",
                           "model.layers",
                           "model.heads",
                           "model.n_kv_heads",
                           "model.ff",
                           "model.norm",
                           "model.activation",
                           "model.causal",
                           "model.dropout",
                           "positional.encodings",
                           "positional.encoding",
                           "positional.base",
                           "positional.overflow",
                           "positional.positions",
                           "train.steps",
                           "train.batch",
                           "train.learning_rate",
                           "train.warmup",
                           "train.schedule",
                           "train.weight_decay",
                           "train.clip",
                           "train.shards",
                           "train.seed",
                           "evaluate.lengths",
                           "evaluate.batches"}) {
    EXPECT_NE(find_key(name), nullptr) << name;
  }
}

TEST(Keys, OfNumbersRefuseWhatIsNone) {
  for (const Key& key : all_keys()) {
    if (key.type != KeyType::integer && key.type != KeyType::real) continue;
    for (const std::string wrong : {"", " ", "x", "3x", "0x10", "1,5", "1 2", "--3", "+3", "nan", "inf",
                                    "-inf", "1e400", "true", "٣"}) {
      EXPECT_THAT(complaint(key, wrong), StartsWith("got '" + wrong + "', expected a")) << key.name;
      EXPECT_THAT(given_on_the_command_line(key, wrong), StartsWith("command line: " + key.name + ": got"));
    }
  }
}

TEST(Keys, OfWholeNumbersRefuseFractions) {
  for (const Key& key : all_keys()) {
    if (key.type != KeyType::integer) continue;
    for (const std::string wrong : {"1.5", "1e3", "1.0", "99999999999999999999"}) {
      EXPECT_THAT(complaint(key, wrong), HasSubstr("expected a whole number")) << key.name;
    }
  }
}

TEST(Keys, OfNumbersTakeTheirLimitsAndNothingPastThem) {
  for (const Key& key : all_keys()) {
    if (key.type != KeyType::integer && key.type != KeyType::real) continue;
    const bool whole = key.type == KeyType::integer;
    ASSERT_GE(key.low, 0.0) << key.name << ": no key is meant to be negative";
    const std::string low = whole ? std::to_string(static_cast<Index>(key.low)) : fmt::format("{}", key.low);
    EXPECT_EQ(complaint(key, low), "") << key.name;
    EXPECT_THAT(complaint(key, "-1"), StartsWith("got -1, expected")) << key.name;
    EXPECT_THAT(given_on_the_command_line(key, "-1"), HasSubstr("got -1, expected")) << key.name;
    if (key.low == 1.0) {
      EXPECT_THAT(complaint(key, "0"), StartsWith("got 0, expected")) << key.name;
    }
    if (!std::isfinite(key.high)) continue;
    const double past = whole ? key.high + 1.0 : key.high + 0.1;
    const std::string text = whole ? std::to_string(static_cast<Index>(past)) : std::to_string(past);
    EXPECT_THAT(complaint(key, text), StartsWith("got " + text + ", expected")) << key.name;
  }
}

TEST(Keys, OfFlagsTakeTrueAndFalseAlone) {
  for (const Key& key : all_keys()) {
    if (key.type != KeyType::flag) continue;
    EXPECT_EQ(complaint(key, "true") + complaint(key, "false"), "");
    for (const std::string wrong : {"", "1", "0", "yes", "True", "on"}) {
      EXPECT_EQ(complaint(key, wrong), "got '" + wrong + "', expected true or false") << key.name;
    }
  }
}

TEST(Keys, OfChoicesTakeTheirChoicesAlone) {
  for (const Key& key : all_keys()) {
    if (key.type != KeyType::choice) continue;
    for (const std::string& choice : key.choices) {
      EXPECT_EQ(complaint(key, choice), "");
      EXPECT_THAT(complaint(key, "x"), HasSubstr(choice)) << key.name;
      EXPECT_NE(complaint(key, choice + "x"), "") << key.name;
      EXPECT_NE(complaint(key, choice.substr(0, choice.size() - 1)), "") << key.name;  // no guessing
    }
  }
}

TEST(Keys, EmptyInAFileIsWrongForNumbersFlagsAndChoices) {
  for (const Key& key : all_keys()) {
    std::vector<std::string> problems;
    const auto entries = read_config_text(key.name + " =\n", "a.cfg", problems);
    ASSERT_EQ(entries.size(), 1U) << key.name;
    EXPECT_EQ(entries[0].value, "");
    EXPECT_TRUE(problems.empty());
    const bool words = key.type == KeyType::text || key.type == KeyType::list || key.type == KeyType::files;
    EXPECT_EQ(complaint(key, "").empty(), words) << key.name;
  }
}

TEST(Nearest, IsTheOneWithTheFewestChanges) {
  EXPECT_EQ(nearest("train.step", {"train.batch", "train.steps", "task.name"}), "train.steps");
  EXPECT_EQ(nearest("steps", {"train.steps", "x"}), "x");  // by edit distance: six letters more against five
  EXPECT_EQ(nearest("", {"ab", "a", "abc"}), "a");
  EXPECT_EQ(nearest("abc", {"abc", "abd"}), "abc");
}

}  // namespace
}  // namespace ordinal

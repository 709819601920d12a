// Every key, by its type: what it accepts and rejects, in files and on the command line.
#include "experiments/settings/keys.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "experiments/settings/config_file.h"
#include "experiments/settings/parts.h"
#include "framework/training/trainer.h"
#include "models/model_config.h"
#include "tests/experiments/settings/command.h"

namespace ordinal::experiments {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

bool is_number(const Key& key) {
  return key.option.type == OptionType::integer || key.option.type == OptionType::real;
}

std::string given_on_the_command_line(const Key& key, const std::string& value) {
  return joined(refusals(train_like(), {"--" + key.name + "=" + value}), "\n");
}

TEST(Keys, AreNamedOnceInTheirSection) {
  std::set<std::string> names;
  for (const Key& key : all_keys()) {
    EXPECT_TRUE(names.insert(key.name).second) << key.name;
    EXPECT_EQ(std::ranges::count(key.name, '.'), 1) << key.name;
    EXPECT_FALSE(key.option.help.empty()) << key.name;
    EXPECT_EQ(find_key(key.name), &key);
  }
  EXPECT_EQ(find_key("train"), nullptr);
  EXPECT_EQ(find_key("train.Steps"), nullptr);
  EXPECT_EQ(find_key(""), nullptr);
}

// The names that scripts rely on.
TEST(Keys, OfTheContractAreAllThere) {
  const std::map<std::string, std::string> names = {
      {"experiment", "name, seeds"},
      {"task", "name, train_length, file"},
      {"model", "d_model, layers, heads, n_kv_heads, block, encoding, norm, causal, dropout"},
      {"train", "steps, batch, learning_rate, warmup, schedule, optimizer, clip, shards, seed"},
      {"evaluate", "lengths, batches"},
  };
  for (const auto& [section, keys] : names) {
    for (const std::string& key : split_outside_brackets(keys, ',')) {
      EXPECT_NE(find_key(section + "." + key), nullptr) << section << "." << key;
    }
  }
}

TEST(Keys, OfNumbersRefuseWhatIsNone) {
  for (const Key& key : all_keys()) {
    if (!is_number(key)) continue;
    for (const std::string wrong : {"", " ", "x", "3x", "0x10", "1,5", "1 2", "--3", "+3", "nan", "inf",
                                    "-inf", "1e400", "true", "٣"}) {
      EXPECT_THAT(complaint(key, wrong), StartsWith("got '" + wrong + "', expected a")) << key.name;
      EXPECT_THAT(given_on_the_command_line(key, wrong), StartsWith("command line: " + key.name + ": got"));
    }
  }
}

TEST(Keys, OfWholeNumbersRefuseFractions) {
  for (const Key& key : all_keys()) {
    if (key.option.type != OptionType::integer) continue;
    for (const std::string wrong : {"1.5", "1e3", "1.0", "99999999999999999999"}) {
      EXPECT_THAT(complaint(key, wrong), HasSubstr("expected a whole number")) << key.name;
    }
  }
}

TEST(Keys, OfNumbersTakeTheirLimitsAndNothingPastThem) {
  for (const Key& key : all_keys()) {
    if (!is_number(key)) continue;
    const bool whole = key.option.type == OptionType::integer;
    const auto text = [&](double number) {
      return whole ? std::to_string(static_cast<Index>(number)) : fmt::format("{}", number);
    };
    const Range& range = key.option.range;
    ASSERT_TRUE(std::isfinite(range.low)) << key.name << ": every number has a least one";
    const std::string low = text(range.low);
    const std::string below = text(std::min(-1.0, range.low - 1.0));
    EXPECT_EQ(complaint(key, low).empty(), !range.above_low) << key.name;
    EXPECT_THAT(complaint(key, below), StartsWith("got " + below + ", expected")) << key.name;
    EXPECT_THAT(given_on_the_command_line(key, below), HasSubstr("got " + below + ", expected")) << key.name;
    if (range.low == 1.0) {
      EXPECT_EQ(complaint(key, "0").empty(), range.zero_is_automatic) << key.name;
    }
    if (!std::isfinite(range.high)) continue;
    EXPECT_EQ(complaint(key, text(range.high)), "") << key.name;
    const std::string past = text(whole ? range.high + 1.0 : range.high + 0.1);
    EXPECT_THAT(complaint(key, past), StartsWith("got " + past + ", expected")) << key.name;
  }
}

// Only a learned bias has a reason to start below zero.
TEST(Keys, OfNumbersAreNotNegative) {
  const auto expect_none = [](const OptionSpec& spec, const std::string& name) {
    const bool is_number = spec.type == OptionType::integer || spec.type == OptionType::real;
    if (is_number && name != "forget_bias" && name != "gate_bias") {
      EXPECT_GE(spec.range.low, 0.0) << name;
    }
  };
  for (const Key& key : all_keys()) expect_none(key.option, key.name);
  for (const PartKind& kind : part_kinds()) {
    for (const PartInfo& part : kind.parts) {
      for (const OptionSpec& option : part.options) expect_none(option, option.name);
    }
  }
}

// Every option of a part accepts its default and the limits of its numbers, and nothing past them.
TEST(Keys, OfPartsTakeTheirOptionsWithinLimits) {
  for (const Key& key : all_keys()) {
    if (key.kind.empty()) continue;
    for (const PartInfo& part : part_kind(key.kind).parts) {
      for (const OptionSpec& option : part.options) {
        const auto problem = [&](const std::string& value) {
          return complaint(key, fmt::format("{}({}={})", part.name, option.name, value));
        };
        EXPECT_EQ(problem(option.value), "") << part.name << " " << option.name;
        const bool whole = option.type == OptionType::integer;
        if (!whole && option.type != OptionType::real) continue;
        ASSERT_TRUE(std::isfinite(option.range.low)) << part.name << " " << option.name;
        const double below = option.range.low - (whole ? 1.0 : 0.1);
        if (below != 0.0 || !option.range.zero_is_automatic) {
          EXPECT_THAT(problem(number_text(below)), HasSubstr(", expected a"))
              << part.name << " " << option.name;
        }
        if (!std::isfinite(option.range.high)) continue;
        EXPECT_EQ(problem(whole ? std::to_string(static_cast<Index>(option.range.high))
                                : number_text(option.range.high)),
                  "");
        EXPECT_THAT(problem(number_text(option.range.high * 2 + 1)), HasSubstr(", expected a"));
      }
    }
  }
}

TEST(Keys, OfFlagsTakeTrueAndFalseAlone) {
  for (const Key& key : all_keys()) {
    if (key.option.type != OptionType::flag) continue;
    const std::string or_auto = key.option.automatic.empty() ? "" : " or auto";
    EXPECT_EQ(complaint(key, "true") + complaint(key, "false"), "");
    for (const std::string wrong : {"", "1", "0", "yes", "True", "on"}) {
      EXPECT_EQ(complaint(key, wrong), "got '" + wrong + "', expected true or false" + or_auto) << key.name;
    }
  }
}

TEST(Keys, OfChoicesTakeTheirChoicesAlone) {
  for (const Key& key : all_keys()) {
    if (key.option.type != OptionType::choice && key.option.type != OptionType::part) continue;
    ASSERT_FALSE(key.option.choices.empty()) << key.name;
    for (const std::string& choice : key.option.choices) {
      EXPECT_EQ(complaint(key, choice), "");
      EXPECT_THAT(complaint(key, "x"), HasSubstr(choice)) << key.name;
      EXPECT_NE(complaint(key, choice + "x"), "") << key.name;
      EXPECT_NE(complaint(key, choice.substr(0, choice.size() - 1)), "") << key.name;  // no guessing
    }
  }
}

// The location of the value, for the message.
TEST(Keys, OfPartsTakeKnownOnesWithOptionsThatTheyHave) {
  for (const Key& key : all_keys()) {
    if (key.kind.empty()) continue;
    EXPECT_EQ(complaint(key, key.option.value), "") << key.name;
    for (const PartInfo& part : part_kind(key.kind).parts) {
      EXPECT_EQ(complaint(key, part.name), "") << key.name;
      EXPECT_THAT(complaint(key, "x"), HasSubstr(part.name)) << key.name;
      EXPECT_THAT(complaint(key, part.name + "(x=1)"), StartsWith(part.name + " has no option")) << key.name;
      for (const OptionSpec& option : part.options) {
        if (option.type == OptionType::files || option.type == OptionType::text) continue;
        EXPECT_THAT(complaint(key, fmt::format("{}({}=-x)", part.name, option.name)),
                    StartsWith(fmt::format("{}: {}: got '-x', expected", part.name, option.name)));
      }
    }
    EXPECT_THAT(complaint(key, "a("), HasSubstr("where a bracket is not closed")) << key.name;
    EXPECT_THAT(given_on_the_command_line(key, "x"), StartsWith("command line: " + key.name + ": got 'x'"));
  }
  const Key& encoding = *find_key("model.encoding");
  for (const char* right : {"rope(base=500)+t5", "rope@yarn", "rope@contiguous:yarn(scale=2)"}) {
    EXPECT_EQ(complaint(encoding, right), "") << right;
  }
  for (const char* wrong :
       {"rope+x", "rope+", "+", "rope@x", "rope@yarn:x", "rope@yarn(x=1)", "rope, t5", "same",
        "rope@yarn:same", "rope@", "rope@yarn:", "rope@yarn@ntk", "rope@a:yarn:ntk"}) {
    EXPECT_NE(complaint(encoding, wrong), "") << wrong;
  }
  for (const char* right : {"same", "alibi", "rope@contiguous:yarn"})
    EXPECT_EQ(complaint(*find_key("finetune.encoding"), right), "");
  EXPECT_EQ(complaint(*find_key("model.block"), "conv(kernel=3), attention"), "");
  EXPECT_NE(complaint(*find_key("task.name"), "copy, reverse"), "");
}

TEST(Keys, EmptyInAFileIsWrongForNumbersFlagsChoicesAndParts) {
  for (const Key& key : all_keys()) {
    const Source file = read_config_text(key.name + " =\n", "a.cfg");
    ASSERT_EQ(file.entries.size(), 1U) << key.name;
    EXPECT_EQ(file.entries[0].value, "");
    EXPECT_TRUE(file.problems().empty());
    const OptionType type = key.option.type;
    const bool words = key.kind.empty() && key.name != "experiment.name" &&
                       (type == OptionType::text || type == OptionType::list || type == OptionType::files);
    EXPECT_EQ(complaint(key, "").empty(), words) << key.name;
  }
}

// Written once: in the struct that a run fills from the keys.
TEST(Keys, HaveTheDefaultsOfTheStructsThatTheyFill) {
  const Settings settings;
  const TrainerOptions trainer;
  EXPECT_EQ(settings.integer("train.steps"), trainer.schedule.steps);
  EXPECT_EQ(settings.integer("train.warmup"), trainer.schedule.warmup);
  EXPECT_EQ(settings.real("train.learning_rate"), trainer.schedule.peak);
  EXPECT_EQ(settings.text("train.schedule"), trainer.schedule.name);
  EXPECT_EQ(settings.text("train.optimizer"), trainer.optimizer);
  EXPECT_EQ(settings.real("train.clip"), trainer.clip);
  EXPECT_EQ(settings.integer("train.seed"), static_cast<Index>(trainer.seed));
  const ModelConfig model;
  EXPECT_EQ(settings.text("model.encoding"), model.encoding);
  EXPECT_EQ(settings.integer("task.train_length"), model.train_length);
  EXPECT_EQ(settings.integer("model.d_model"), model.d_model);
  EXPECT_EQ(settings.integer("encoding.d_model"), model.d_model);
  EXPECT_EQ(settings.integer("encoding.heads"), model.heads);
}

TEST(Nearest, IsTheOneWithTheFewestChanges) {
  EXPECT_EQ(nearest("train.step", {"train.batch", "train.steps", "task.name"}), "train.steps");
  EXPECT_EQ(nearest("steps", {"train.steps", "x"}), "x");  // by edit distance: six extra letters against five
  EXPECT_EQ(nearest("", {"ab", "a", "abc"}), "a");
  EXPECT_EQ(nearest("abc", {"abc", "abd"}), "abc");
}

}  // namespace
}  // namespace ordinal::experiments

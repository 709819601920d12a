// Every key, by its type: what it accepts and rejects, in files and on the command line.
#include "experiments/settings/keys.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "experiments/settings/parts.h"
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

TEST(Keys, OfNumbersRefuseWhatIsNone) {
  for (const Key& key : all_keys()) {
    if (!is_number(key)) continue;
    for (const std::string wrong :
         {"", " ", "x", "3x", "0x10", "1,5", "1 2", "--3", "+3", "nan", "inf", "-inf", "1e400", "true", "٣"})
      EXPECT_THAT(complaint(key, wrong), StartsWith("got '" + wrong + "', expected a")) << key.name;
    EXPECT_THAT(given_on_the_command_line(key, "x"), StartsWith("command line: " + key.name + ": got"));
    if (key.option.type != OptionType::integer) continue;
    for (const std::string wrong : {"1.5", "1e3", "1.0", "99999999999999999999"})
      EXPECT_THAT(complaint(key, wrong), HasSubstr("expected a whole number")) << key.name;
  }
}

// Of a key, or of an option of a part with the value in its brackets.
void check_limits(const Key& key, const OptionSpec& option, const std::string& form) {
  const auto problem = [&](const std::string& value) {
    return complaint(key, fmt::format(fmt::runtime(form), value));
  };
  EXPECT_EQ(problem(option.value), "") << form;
  const bool whole = option.type == OptionType::integer;
  if (!whole && option.type != OptionType::real) return;
  const auto text = [&](double number) {
    return whole ? std::to_string(static_cast<Index>(number)) : number_text(number);
  };
  const Range& range = option.range;
  ASSERT_TRUE(std::isfinite(range.low)) << form << ": every number has a least one";
  // Only a learned bias has a reason to start below zero.
  EXPECT_TRUE(range.low >= 0.0 || option.name == "forget_bias" || option.name == "gate_bias") << form;
  EXPECT_EQ(problem(text(range.low)).empty(),
            !range.above_low || (range.low == 0.0 && range.automatic == "0"))
      << form;
  const double below = range.low - (whole ? 1.0 : 0.1);
  const bool is_automatic = below == 0.0 && range.automatic == "0";
  EXPECT_THAT(problem(text(below)), HasSubstr(is_automatic ? "" : "got " + text(below) + ", expected a"));
  EXPECT_EQ(problem(text(below)).empty(), is_automatic) << form;
  if (!std::isfinite(range.high)) return;
  EXPECT_EQ(problem(text(range.high)), "") << form;
  const std::string past = text(range.high + (whole ? 1.0 : 0.1));
  EXPECT_THAT(problem(past), HasSubstr("got " + past + ", expected a")) << form;
}

TEST(Keys, AndOptionsTakeTheirDefaultsAndTheLimitsOfTheirNumbersAndNothingPastThem) {
  for (const Key& key : all_keys()) {
    check_limits(key, key.option, "{}");
    if (!key.names_parts()) continue;
    for (const PartInfo& part : part_kind(key.option.kind).parts)
      for (const OptionSpec& option : part.options)
        check_limits(key, option, part.name + "(" + option.name + "={})");
  }
}

TEST(Keys, OfPartsTakeKnownOnesWithOptionsThatTheyHave) {
  for (const Key& key : all_keys()) {
    if (!key.names_parts()) continue;
    for (const PartInfo& part : part_kind(key.option.kind).parts) {
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
  for (const char* right : {"rope(base=500)+t5", "rope@yarn", "rope@contiguous:yarn(scale=2)"})
    EXPECT_EQ(complaint(encoding, right), "") << right;
  for (const char* wrong :
       {"rope+x", "rope+", "+", "rope@x", "rope@yarn:x", "rope@yarn(x=1)", "rope, t5", "same",
        "rope@yarn:same", "rope@", "rope@yarn:", "rope@yarn@ntk", "rope@a:yarn:ntk"})
    EXPECT_NE(complaint(encoding, wrong), "") << wrong;
  for (const char* right : {"same", "alibi", "rope@contiguous:yarn"})
    EXPECT_EQ(complaint(*find_key("finetune.encoding"), right), "");
  EXPECT_EQ(complaint(*find_key("model.block"), "conv(kernel=3), attention"), "");
  EXPECT_NE(complaint(*find_key("task.name"), "copy, reverse"), "");
}

TEST(Keys, EmptyAreWrongForNumbersFlagsChoicesAndParts) {
  for (const Key& key : all_keys()) {
    const OptionType type = key.option.type;
    const bool words = !key.names_parts() && key.name != "experiment.name" &&
                       (type == OptionType::text || type == OptionType::files ||
                        (type == OptionType::list && key.option.value.empty()));
    EXPECT_EQ(complaint(key, "").empty(), words) << key.name;
    if (type == OptionType::list) {
      EXPECT_EQ(complaint(key, ", "), "got ', ', expected at least one value") << key.name;
    }
  }
}

}  // namespace
}  // namespace ordinal::experiments

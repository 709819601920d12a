// Parts and their options as a config sees them: keys, precedence, --list.
#include "experiments/settings/parts.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "experiments/settings/command_line.h"
#include "experiments/settings/condition.h"
#include "experiments/settings/plan.h"
#include "experiments/tasks/task.h"
#include "framework/core/errors.h"
#include "framework/layers/layer.h"
#include "framework/optimize/optimizer.h"
#include "framework/optimize/schedule.h"
#include "tests/experiments/with.h"

namespace ordinal::experiments {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using ::testing::ThrowsMessage;

std::string encoding(const std::string& text, const std::string& key = "", const std::string& value = "") {
  Settings settings = with({{"positional.encoding", text}});
  if (!key.empty()) settings.set(key, value, "test");
  return positional_choice(settings).encoding;
}

TEST(PartKinds, HoldEveryRegistry) {
  EXPECT_EQ(part_kind("tasks").names(), tasks().names());
  EXPECT_EQ(part_kind("lengths").names(), length_schemes().names());
  EXPECT_EQ(part_kind("branches").names(), layers(LayerKind::branch).names());
  EXPECT_EQ(part_kind("activations").names(), layers(LayerKind::activation).names());
  EXPECT_EQ(part_kind("norms").names(), layers(LayerKind::norm).names());
  EXPECT_EQ(part_kind("positional encodings").names(), encodings().names());
  EXPECT_EQ(part_kind("positions").names(), position_schemes().names());
  EXPECT_EQ(part_kind("optimizers").names(), optimizers().names());
  EXPECT_EQ(part_kind("schedules").names(), schedules().names());
  EXPECT_EQ(part_kind("conditions").names(), conditions().names());
}

TEST(PartKinds, OfEveryKeyThatNamesPartsExist) {
  for (const Key& key : all_keys()) {
    if (!key.kind.empty()) {
      EXPECT_FALSE(part_kind(key.kind).parts.empty()) << key.name;
    }
  }
}

TEST(Parts, HaveEveryOptionAsAKey) {
  for (const PartKind& kind : part_kinds()) {
    for (const PartInfo& part : kind.parts) {
      for (const OptionSpec& option : part.options) {
        const Key* key = find_key(kind.section + "." + option.name);
        ASSERT_NE(key, nullptr) << part.name << " " << option.name;
        EXPECT_TRUE(key->is_option()) << key->name;
        const auto user = std::ranges::find(key->parts, part.name);
        ASSERT_NE(user, key->parts.end()) << key->name << " of " << part.name;
        EXPECT_EQ(key->variants.at(static_cast<std::size_t>(user - key->parts.begin())).help, option.help);
      }
    }
  }
}

// One line of help for each, from the part, and a default that the part accepts.
TEST(Parts, SayWhatTheirOptionsAre) {
  for (const PartKind& kind : part_kinds()) {
    for (const PartInfo& part : kind.parts) {
      EXPECT_FALSE(part.summary.empty()) << part.name;
      std::set<std::string> names;
      for (const OptionSpec& option : part.options) {
        EXPECT_FALSE(option.help.empty()) << part.name << " " << option.name;
        EXPECT_EQ(option.help.find('\n'), std::string::npos) << part.name << " " << option.name;
        EXPECT_EQ(complaint(option, option.value), "") << part.name << " " << option.name;
        EXPECT_TRUE(names.insert(option.name).second) << part.name << " " << option.name;
      }
    }
  }
}

// In increasing precedence: the part's default, the key, the inline option.
TEST(WithKeys, WhatIsWrittenAtThePartWinsOverTheKeyAndTheKeyOverTheDefault) {
  EXPECT_EQ(encoding("rope"), "rope");
  EXPECT_EQ(encoding("rope", "positional.base", "500"), "rope(base=500)");
  EXPECT_EQ(encoding("rope(base=100)", "positional.base", "500"), "rope(base=100)");
  EXPECT_EQ(encoding("rope(pairing=half)", "positional.base", "500"), "rope(base=500, pairing=half)");
}

TEST(WithKeys, AKeyReachesEveryPartThatHasTheOptionAndNoOther) {
  EXPECT_EQ(encoding("sinusoidal+alibi", "positional.base", "500"), "sinusoidal(base=500)+alibi");
  EXPECT_EQ(encoding("sinusoidal+rope(base=7)", "positional.base", "500"),
            "sinusoidal(base=500)+rope(base=7)");
  EXPECT_EQ(encoding("rope", "positional.buckets", "8"), "rope");
}

TEST(WithKeys, HoldsForPartsOfEveryKind) {
  EXPECT_EQ(in_effect(with({{"train.beta2", "0.5"}}), "train.optimizer"), "adamw(beta2=0.5)");
  EXPECT_EQ(
      in_effect(with({{"train.beta2", "0.5"}, {"train.optimizer", "adamw(beta2=0.9)"}}), "train.optimizer"),
      "adamw(beta2=0.9)");
  EXPECT_EQ(in_effect(with({{"train.beta2", "0.5"}, {"train.optimizer", "sgd"}}), "train.optimizer"), "sgd");
  EXPECT_EQ(in_effect(with({{"train.final_fraction", "0.5"}}), "train.schedule"),
            "cosine(final_fraction=0.5)");
  EXPECT_EQ(to_string(task_part(with({{"task.name", "copy"}, {"task.symbols", "5"}}))), "copy(symbols=5)");
  EXPECT_EQ(to_string(task_part(with({{"task.name", "copy(symbols=4)"}, {"task.symbols", "5"}}))),
            "copy(symbols=4)");
  EXPECT_EQ(in_effect(with({{"model.norm", "rmsnorm"}, {"model.epsilon", "0.5"}}), "model.norm"),
            "rmsnorm(epsilon=0.5)");
  EXPECT_EQ(in_effect(with({{"model.block", "conv, attention, conv(kernel=7)"}, {"model.kernel", "5"}}),
                      "model.block"),
            "conv(kernel=5), attention, conv(kernel=7)");
}

TEST(WithKeys, AnOptionThatIsAPartIsSetByItsKeyOrByName) {
  EXPECT_EQ(in_effect(Settings(), "model.block"), "attention, feed_forward");
  EXPECT_EQ(in_effect(with({{"model.activation", "relu"}}), "model.block"),
            "attention, feed_forward(activation=relu)");
  EXPECT_EQ(in_effect(with({{"model.activation", "relu"},
                            {"model.block", "feed_forward(activation=silu), feed_forward"}}),
                      "model.block"),
            "feed_forward(activation=silu), feed_forward(activation=relu)");
  EXPECT_EQ(in_effect(with({{"model.block", "feed_forward(activation=silu, ff=7)"}, {"model.ff", "9"}}),
                      "model.block"),
            "feed_forward(activation=silu, ff=7)");
}

// The epsilon of a model is that of all its norms, unless one has its own.
TEST(WithKeys, ANormOfQueriesAndKeysTakesTheEpsilonOfTheModel) {
  const auto block = [](const std::string& qk_norm) {
    const Settings settings =
        with({{"model.epsilon", "1e-6"}, {"model.block", "attention(qk_norm=" + qk_norm + ")"}});
    return in_effect(settings, "model.block");
  };
  EXPECT_EQ(block("none"), "attention(qk_norm=none)");
  EXPECT_EQ(block("rmsnorm"), "attention(qk_norm=rmsnorm(epsilon=1e-6))");
  EXPECT_EQ(block("layernorm(epsilon=0.1)"), "attention(qk_norm=layernorm(epsilon=0.1))");
  EXPECT_EQ(in_effect(with({{"model.epsilon", "1e-6"}, {"model.qk_norm", "rmsnorm"}}), "model.block"),
            "attention(qk_norm=rmsnorm(epsilon=1e-6)), feed_forward");
}

TEST(WithKeys, LeavesAnUnknownPartToThoseWhoBuildIt) {
  EXPECT_EQ(to_string(with_keys(parse_part("nothing(a=1)"), part_kind("norms"), Settings())), "nothing(a=1)");
}

// As a key, the start of test positions; inline at the training positions, the start of those.
TEST(PositionalChoice, TheOffsetOfAKeyIsThatOfTheTest) {
  const auto offsets = [](const Settings& settings) {
    const PositionalChoice choice = positional_choice(settings);
    return std::pair(choice.training.offset, choice.test.offset);
  };
  EXPECT_EQ(offsets(with({{"positional.offset", "5"}})), std::pair(0.0, 5.0));
  EXPECT_EQ(offsets(with({{"positional.encoding", "rope@contiguous(offset=3)"}})), std::pair(3.0, 3.0));
  EXPECT_EQ(offsets(with({{"positional.encoding", "rope@contiguous(offset=3):contiguous"},
                          {"positional.offset", "5"}})),
            std::pair(3.0, 5.0));
}

TEST(PositionalChoice, PositionsAtTheEncodingWinOverTheirKeys) {
  const auto kinds = [](const Settings& settings) {
    const PositionalChoice choice = positional_choice(settings);
    return choice.training.name() + ":" + choice.test.name();
  };
  Settings settings = with({{"positional.positions", "randomized"}, {"positional.test_positions", "spaced"}});
  EXPECT_EQ(kinds(settings), "randomized:spaced");
  settings.set("positional.encoding", "rope@contiguous:yarn", "test");
  EXPECT_EQ(kinds(settings), "contiguous:yarn");
  settings.set("positional.encoding", "rope@interpolated", "test");
  EXPECT_EQ(kinds(settings), "interpolated:interpolated");
}

TEST(PositionalChoice, PositionsMayHaveOptions) {
  const PositionalChoice choice =
      positional_choice(with({{"positional.encoding", "rope(base=500)@contiguous:yarn(yarn_beta=8, scale=2)"},
                              {"positional.scale", "3"}}));
  EXPECT_EQ(choice.encoding, "rope(base=500)");
  EXPECT_EQ(specs_of(choice.test)[2].value, "8");
  EXPECT_EQ(choice.test.scale, 2.0);
}

TEST(Parts, OfAnUnknownNameOrOptionAreRefusedWithTheKnownOnes) {
  EXPECT_THAT(
      [] {
        positional_choice(with({{"positional.positions", "random"}}));
      },
      ThrowsMessage<ConfigError>(HasSubstr("positions: got 'random', expected one of contiguous, ")));
  EXPECT_THAT(
      [] {
        positional_choice(with({{"positional.positions", "yarn(beta=3)"}}));
      },
      ThrowsMessage<ConfigError>(HasSubstr("yarn has no option beta, expected one of scale, yarn_alpha")));
  EXPECT_THAT([] { make_condition("windows"); },
              ThrowsMessage<ConfigError>(HasSubstr(
                  "evaluate.conditions: got 'windows' (did you mean window?), expected one of trained")));
  EXPECT_THAT([] { make_condition("window(k=3)"); },
              ThrowsMessage<ConfigError>(HasSubstr("window has no option k, expected one of size")));
  EXPECT_THAT([] { make_task("sorted"); },
              ThrowsMessage<ConfigError>(HasSubstr(
                  "got 'sorted' (did you mean sort?), expected one of text, language, copy, reverse")));
}

TEST(List, NamesEveryPartUnderItsKindWithItsOptions) {
  const std::string text = list_text("");
  std::size_t at = 0;
  for (const PartKind& kind : part_kinds()) {
    const std::size_t heading = text.find(kind.title + " (" + kind.keys + ")\n", at);
    ASSERT_NE(heading, std::string::npos) << kind.title;
    at = heading;
    for (const PartInfo& part : kind.parts) {
      const std::size_t place = text.find("\n" + part.name + "\n", at);
      ASSERT_NE(place, std::string::npos) << kind.title << " " << part.name;
      at = place;
      for (const OptionSpec& option : part.options) {
        const std::string line =
            fmt::format("option      {} = {}: {}", option.name, option.value, option.help);
        EXPECT_NE(text.find(line, at), std::string::npos) << part.name << " " << option.name;
      }
    }
  }
  EXPECT_THAT(text, HasSubstr("by the key <section>.<option>, for one part by part(option=value)"));
}

TEST(List, OfOnePartOrOneKindIsThatAlone) {
  EXPECT_THAT(list_text("rope"),
              AllOf(StartsWith("rope\n"), HasSubstr("acts on     query, key\n"),
                    HasSubstr("option      base = 10000: longest wavelength"),
                    HasSubstr("option      pairing = interleaved"), Not(HasSubstr("alibi"))));
  EXPECT_THAT(list_text("conv"), AllOf(StartsWith("conv\n"), HasSubstr("option      kernel = ")));
  for (const PartKind& kind : part_kinds()) {
    const std::string text = list_text(kind.title);
    for (const PartInfo& part : kind.parts) EXPECT_THAT("\n" + text, HasSubstr("\n" + part.name + "\n"));
    EXPECT_EQ(kind.title == "tasks", text.find("\nreverse\n") != std::string::npos) << kind.title;
  }
}

TEST(List, SaysInWhichOrderEncodingsAct) {
  EXPECT_THAT(list_text(""), HasSubstr("several at once: a+b, where a acts before b)\n"));
  EXPECT_THAT(list_text("attention"), HasSubstr("Names stand in the order of positional.encoding"));
  const std::string help = help_text({.name = "extrapolation", .summary = "", .sections = {"positional"}});
  EXPECT_THAT(help, AllOf(HasSubstr("a+b (a acts before b)"), HasSubstr("in a+b, a acts before b")));
}

TEST(List, SaysWhatALayerIs) {
  EXPECT_THAT(list_text("cope"), AllOf(HasSubstr("positional.cope.<layer>.table"),
                                       HasSubstr("Layers are the\n  branches `attention` of the model")));
  EXPECT_THAT(list_text("conv"),
              AllOf(HasSubstr("\n    block.N.conv.weight"), HasSubstr("\n  N = 0, 1, … is the block")));
}

TEST(List, OfAKindMayBeInTheSingular) {
  EXPECT_EQ(list_text("activation"), list_text("activations"));
  EXPECT_EQ(list_text("branch"), list_text("branches"));
  EXPECT_EQ(list_text("encoding"), list_text("positional encodings"));
  EXPECT_EQ(list_text("encodings"), list_text("positional encodings"));
}

TEST(List, OfSomethingUnknownNamesTheNearest) {
  EXPECT_THAT([] { list_text("ropes"); },
              ThrowsMessage<ConfigError>("--list: there is nothing called 'ropes' (did you mean rope?)"));
}

// --help shows a part's options where its kind is chosen, with the parts that have them.
TEST(Help, ShowsOptionsWithTheirPartsAndDefaults) {
  const std::vector<std::string> sections = {"task", "model", "positional", "train", "evaluate"};
  const std::string help = help_text({.name = "train", .summary = "", .sections = sections});
  for (const Key& key : all_keys()) {
    const bool shown = std::ranges::count(sections, key.section()) > 0;
    const std::size_t at = help.find("--" + key.name + " ");
    ASSERT_EQ(at != std::string::npos, shown) << key.name;
    if (!shown) continue;
    const std::string line = help.substr(at, help.find('\n', at) - at);
    for (const std::string& part : key.parts) EXPECT_THAT(line, HasSubstr(part)) << key.name;
    if (!key.kind.empty() && key.option.choices.empty()) {
      for (const std::string& name : part_kind(key.kind).names())
        EXPECT_THAT(line, HasSubstr(name)) << key.name;
    }
    for (std::size_t i = 0; i < key.parts.size(); ++i) {  // "a, b: help [default]"
      const std::size_t own = line.find(": " + key.variants[i].help + " [" + key.variants[i].value + "]");
      ASSERT_NE(own, std::string::npos) << key.name << " of " << key.parts[i];
      const std::size_t name = line.rfind(key.parts[i], own);
      EXPECT_EQ(line.substr(name, own - name).find(": "), std::string::npos)
          << key.name << " of " << key.parts[i];
    }
  }
}

}  // namespace
}  // namespace ordinal::experiments

// Parts and their options as a config sees them: brackets, positions, --list.
#include "experiments/settings/parts.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "experiments/conditions/condition.h"
#include "experiments/settings/command_line.h"
#include "experiments/settings/plan.h"
#include "experiments/tasks/task.h"
#include "framework/core/errors.h"
#include "framework/layers/layer_registry.h"
#include "framework/optimize/optimizer.h"
#include "framework/optimize/schedule.h"
#include "tests/experiments/with.h"

namespace ordinal::experiments {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using ::testing::ThrowsMessage;

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

// One line of help for each, from the part, and a default that the part accepts.
TEST(Parts, SayWhatTheirOptionsAre) {
  for (const PartKind& kind : part_kinds()) {
    for (const PartInfo& part : kind.parts) {
      EXPECT_FALSE(part.summary.empty()) << part.name;
      std::set<std::string> names;
      for (const OptionSpec& option : part.options) {
        EXPECT_FALSE(option.help.empty()) << part.name << " " << option.name;
        EXPECT_EQ(option.help.find('\n'), std::string::npos) << part.name << " " << option.name;
        EXPECT_TRUE(names.insert(option.name).second) << part.name << " " << option.name;
      }
    }
  }
}

std::vector<std::string> names_in(const std::string& kind, const std::string& value) {
  std::vector<std::string> names;
  for (const NamedPart& named : named_parts(part_kind(kind), value))
    names.push_back((named.before == '\0' ? "" : std::string(1, named.before)) + to_string(named.part));
  return names;
}

TEST(NamedParts, AreThoseOfAValueWithWhatStandsBeforeThem) {
  EXPECT_THAT(names_in("positional encodings", "rope(base=500)+t5@randomized:yarn(scale=2)"),
              ElementsAre("rope(base=500)", "+t5", "@randomized", ":yarn(scale=2)"));
  EXPECT_THAT(names_in("positional encodings", "rope @ yarn"), ElementsAre("rope", "@yarn"));
  EXPECT_THAT(names_in("branches", "attention(encoding=rope+t5),feed_forward"),
              ElementsAre("attention(encoding=rope+t5)", ",feed_forward"));
  EXPECT_THAT(names_in("tasks", "copy(symbols=3)"), ElementsAre("copy(symbols=3)"));
}

TEST(NamedParts, GiveTheirTextAgain) {
  for (const std::string text : {"rope(base=500)+t5@randomized:yarn(scale=2)", "rope", "a+b@c"}) {
    EXPECT_EQ(parts_text(named_parts(part_kind("positional encodings"), text)), text);
    EXPECT_EQ(placed_text(placed_encoding(text)), text);
  }
  EXPECT_EQ(parts_text(named_parts(part_kind("branches"), "conv,attention")), "conv, attention");
  EXPECT_EQ(names_only(named_parts(part_kind("positional encodings"), "rope(base=500)+t5@yarn(scale=2)")),
            "rope+t5@yarn");
}

TEST(PositionalChoice, OfTheTestIsThatOfTrainingUnlessItIsGiven) {
  for (const auto& [entry, training, test] : std::vector<std::array<std::string, 3>>{
           {"rope", "contiguous", "contiguous"},
           {"rope@interpolated(scale=3)", "interpolated, s 3", "interpolated, s 3"},
           {"rope@contiguous(offset=3)", "contiguous from 3", "contiguous from 3"},
           {"rope@contiguous:contiguous(offset=5)", "contiguous", "contiguous from 5"},
           {"rope(base=500)@contiguous:yarn(yarn_beta=8, scale=2)", "contiguous", "yarn, s 2, α 1, β 8"}}) {
    const PositionalChoice choice = positional_choice(with({{"model.encoding", entry}}));
    EXPECT_EQ(choice.encoding, entry.substr(0, entry.find('@')));
    EXPECT_EQ(choice.training.describe(64), training) << entry;
    EXPECT_EQ(choice.test.describe(64), test) << entry;
  }
}

TEST(List, IsThatOfEveryKindUnderItsHeading) {
  const std::string text = list_text("");
  for (const PartKind& kind : part_kinds())
    EXPECT_THAT(text, HasSubstr(kind.title + " (" + kind.keys + ")\n\n" + list_text(kind.title)))
        << kind.title;
  EXPECT_THAT(text,
              HasSubstr("Options stand in the brackets of their part: part(option=value, option=value)."));
}

TEST(List, OfOnePartOrOneKindIsThatAlone) {
  EXPECT_THAT(list_text("rope"),
              AllOf(StartsWith("rope\n"), HasSubstr("acts on     query, key\n"),
                    HasSubstr("option      base = 10000: longest wavelength"),
                    HasSubstr("option      pairing = interleaved"), Not(HasSubstr("alibi"))));
  EXPECT_THAT(list_text("conv"), AllOf(StartsWith("conv\n"), HasSubstr("option      kernel = ")));
  for (const PartKind& kind : part_kinds()) {
    const std::string text = list_text(kind.title);
    for (const PartInfo& part : kind.parts) {
      EXPECT_THAT("\n" + text, HasSubstr("\n" + part.name + "\n"));
      for (const OptionSpec& option : part.options)
        EXPECT_THAT(
            text, HasSubstr(fmt::format("option      {} = {}: {}", option.name, option.value, option.help)));
    }
    EXPECT_EQ(kind.title == "tasks", text.find("\nreverse\n") != std::string::npos) << kind.title;
  }
}

TEST(List, OfAKindMayBeInTheSingularAndOfSomethingUnknownNamesTheNearest) {
  EXPECT_EQ(list_text("activation"), list_text("activations"));
  EXPECT_EQ(list_text("branch"), list_text("branches"));
  EXPECT_EQ(list_text("encoding"), list_text("positional encodings"));
  EXPECT_EQ(list_text("encodings"), list_text("positional encodings"));
  EXPECT_THAT([] { list_text("ropes"); },
              ThrowsMessage<ConfigError>("--list: there is nothing called 'ropes' (did you mean rope?)"));
  EXPECT_THAT(
      [] { list_text("out_dir"); },
      ThrowsMessage<ConfigError>("--list: there is nothing called 'out_dir', expected a part, or one of "
                                 "tasks, lengths, branches, activations, norms, positional encodings, "
                                 "positions, optimizers, schedules, conditions"));
}

// Options of parts are left to --list.
TEST(Help, ShowsKeysWithTheirPartsAndDefaults) {
  const std::string help = help_text({.name = "train", .summary = "", .sections = {"model"}});
  for (const Key& key : all_keys()) {
    const bool shown = key.section() == "model";
    const std::size_t at = help.find("--" + key.name + " ");
    ASSERT_EQ(at != std::string::npos, shown) << key.name;
    if (!shown) continue;
    const std::string line = help.substr(at, help.find('\n', at) - at);
    if (!key.kind.empty() && key.option.choices.empty()) {
      for (const std::string& name : part_kind(key.kind).names())
        EXPECT_THAT(line, HasSubstr(name)) << key.name;
    }
    EXPECT_THAT(line, HasSubstr("[" + key.option.value + "]"));
  }
}

}  // namespace
}  // namespace ordinal::experiments

// Parts and their options as a config sees them: brackets, positions, --list.
#include "experiments/settings/parts.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <sstream>

#include "experiments/process/streams.h"
#include "experiments/settings/command_line.h"
#include "framework/core/errors.h"
#include "tests/framework/storage/scratch_folder.h"
#include "tests/message_of.h"

namespace ordinal::experiments {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;
using ::testing::Not;
using ::testing::StartsWith;

// One line of help for each, from the part.
TEST(Parts, SayWhatTheirOptionsAre) {
  for (const PartKind& kind : part_kinds()) {
    for (const PartInfo& part : kind.parts) {
      EXPECT_FALSE(part.summary.empty()) << part.name;
      for (const OptionSpec& option : part.options) {
        EXPECT_THAT(option.help, AllOf(Not(IsEmpty()), Not(HasSubstr("\n"))))
            << part.name << " " << option.name;
        EXPECT_EQ(std::ranges::count(part.options, option.name, &OptionSpec::name), 1) << part.name;
      }
    }
  }
}

// A key that a text of --list names exists.
TEST(Parts, NameKeysThatThereAre) {
  const std::regex key(R"(\b(task|model|train|finetune|evaluate)\.[a-z_]+)");
  for (const PartKind& kind : part_kinds()) {
    for (const PartInfo& part : kind.parts) {
      std::string text = part.summary + " " + part.definition;
      for (const OptionSpec& option : part.options) text += " " + option.help;
      for (std::sregex_iterator found(text.begin(), text.end(), key), end; found != end; ++found)
        EXPECT_NE(find_key(found->str()), nullptr) << part.name << ": " << found->str();
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

TEST(LimitedConditions, NameLengthsBehindThem) {
  const auto limited = limited_conditions("trained, shifted( offset=64 ) @ 1x+512, window");
  ASSERT_EQ(limited.size(), 3U);
  EXPECT_EQ(to_string(limited[1].condition), "shifted(offset=64)");
  EXPECT_THAT(limited[1].lengths, ElementsAre("1x", "512"));
  EXPECT_THAT(limited[2].lengths, IsEmpty());
  EXPECT_THAT(names_in("conditions", "trained, window(size=4)@4x+8x"),
              ElementsAre("trained", ",window(size=4)"));
  for (const std::string wrong : {"window@1x@2x", "window+1x", "window:1x"})
    EXPECT_EQ(message_of<ConfigError>([&] { limited_conditions(wrong); }),
              "got '" + wrong + "', expected a condition, or condition@8x or condition@4x+8x");
}

TEST(NamedParts, GiveTheirTextAgain) {
  for (const std::string text : {"rope(base=500)+t5@randomized:yarn(scale=2)", "rope", "a+b@c"}) {
    EXPECT_EQ(to_list(named_parts(part_kind("positional encodings"), text)).text(), text);
    EXPECT_EQ(placed_encoding(text).text(), text);
  }
  EXPECT_EQ(to_list(named_parts(part_kind("branches"), "conv,attention")).text(), "conv, attention");
  EXPECT_EQ(names_only(named_parts(part_kind("positional encodings"), "rope(base=500)+t5@yarn(scale=2)")),
            "rope+t5@yarn");
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
    for (const PartInfo& part : kind.parts)
      EXPECT_THAT("\n" + list_text(kind.title), HasSubstr("\n" + part.name + "\n"));
    EXPECT_EQ(kind.title == "tasks", list_text(kind.title).find("\nreverse\n") != std::string::npos);
  }
}

TEST(List, OfSomethingUnknownNamesTheNearest) {
  EXPECT_EQ(
      message_of<ConfigError>([] { list_text("ropes"); }),
      "--list: there is nothing called 'ropes' (did you mean rope?), expected a name that --list shows");
  EXPECT_EQ(message_of<ConfigError>([] { list_text("out_dir"); }),
            "--list: there is nothing called 'out_dir', expected a name that --list shows");
}

// Four of many.
std::string first_of(const std::vector<std::string>& choices) {
  if (choices.size() <= 8) return joined(choices);
  return fmt::format(": {}, {}, {}, {}, … ({} with --list)", choices[0], choices[1], choices[2], choices[3],
                     choices.size());
}

// Options of parts are left to --list.
TEST(Help, ShowsKeysWithTheirPartsAndDefaults) {
  const std::string help = help_text({.name = "train", .summary = "", .sections = {"model"}});
  for (const Key& key : all_keys()) {
    const std::size_t at = help.find("--" + key.name + " ");
    ASSERT_EQ(at != std::string::npos, key.section() == "model") << key.name;
    if (at == std::string::npos) continue;
    EXPECT_THAT(help.substr(at, help.find('\n', at) - at),
                AllOf(HasSubstr(first_of(key.option.choices)), HasSubstr("[" + key.option.value + "]")));
  }
}

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream from(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(from, line);) lines.push_back(line);
  return lines;
}

// What continues the text of an option stands below it, in column 33.
TEST(Help, FitsTheTerminal) {
  const DriverDescription driver{
      .name = "train", .summary = "Trains.", .sections = {"task", "model", "train"}, .builds = Builds::rows};
  for (const std::size_t columns : {80U, 120U}) {
    const std::string help = help_text(driver, Terminal{.columns = columns});
    for (const std::string& line : lines_of(help)) EXPECT_LE(display_width(line), columns) << line;
    const std::string joined_again = std::regex_replace(help, std::regex("\n {33}"), " ");
    std::vector<std::string> options = lines_of(help_text(driver));
    std::erase_if(options, [](const std::string& line) { return !line.starts_with("  --"); });
    EXPECT_THAT(lines_of(joined_again), IsSupersetOf(options));
  }
}

}  // namespace
}  // namespace ordinal::experiments

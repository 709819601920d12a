// The text of --list NAME must be enough to reimplement an encoding: every parameter with its full name,
// every option that a formula uses. (That encodings follow the formulas is in tests/experiments/training/parity_test.cpp.)
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>

#include "experiments/process/streams.h"
#include "framework/positional/position_scheme.h"
#include "framework/positional/positional_encoding.h"

namespace ordinal::experiments {
namespace {

using ::testing::HasSubstr;

TEST(Definition, IsThereForEveryEncodingOfThePapers) {
  for (const EncodingEntry& entry : encodings().entries()) {
    if (entry.name == "recency") continue;  // the example of README, which the suite builds
    EXPECT_FALSE(entry.source.empty() || entry.definition.empty()) << entry.name;
  }
  for (const SchemeEntry& scheme : position_schemes().entries()) {
    EXPECT_FALSE(scheme.definition.empty()) << scheme.name;
  }
}

TEST(Definition, NamesEveryParameterInFull) {
  for (const EncodingEntry& entry : encodings().entries()) {
    if (entry.definition.empty()) continue;  // a user-defined encoding need not have one
    ParameterLayout layout;
    const auto built =
        make_positional_encoding<double>(entry.name, {.layers = 1}, Scope(layout, "positional"));
    for (const ParameterSpec& spec : layout.specs()) {
      std::string name = spec.name;
      if (const std::size_t layer = name.find(".0."); layer != std::string::npos) {
        name.replace(layer, 3, ".<layer>.");
      }
      EXPECT_THAT(entry.definition, HasSubstr("\n  " + name + " ")) << entry.name;
    }
  }
}

TEST(Definition, FitsOnAPage) {
  const auto expect_short = [](const std::string& name, const std::string& definition) {
    EXPECT_LT(std::ranges::count(definition, '\n'), 25) << name;
    std::istringstream lines(definition);
    for (std::string line; std::getline(lines, line);)
      EXPECT_LE(display_width(line), 114) << name << ": " << line;
  };
  for (const EncodingEntry& entry : encodings().entries()) expect_short(entry.name, entry.definition);
  for (const SchemeEntry& scheme : position_schemes().entries()) expect_short(scheme.name, scheme.definition);
}

}  // namespace
}  // namespace ordinal::experiments

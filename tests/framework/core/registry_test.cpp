// The parts that can be named, and those that a program adds.
#include "framework/core/registry.h"
#include "tests/message_of.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ordinal {
namespace {

using ::testing::ElementsAre;

struct Fruit {
  std::string name;
  int price = 0;
  std::vector<OptionSpec> options = {};
};

Registry<Fruit> fruits() { return {"fruit", {{"apple", 3}, {"pear", 4}}}; }

TEST(Registry, FindsByName) {
  EXPECT_EQ(fruits().find("pear").price, 4);
  EXPECT_THAT(fruits().names(), ElementsAre("apple", "pear"));
}

TEST(Registry, AnUnknownNameIsReportedWithTheKnownOnes) {
  EXPECT_THAT(message_of<ConfigError>([] { fruits().find("plum"); }),
              "fruit: got 'plum', expected one of apple, pear");
}

TEST(Registry, WhatIsAddedIsFoundBehindTheOthers) {
  Registry<Fruit> registry = fruits();
  registry.add({"plum", 5});
  EXPECT_EQ(registry.find("plum").price, 5);
  EXPECT_THAT(registry.names(), ElementsAre("apple", "pear", "plum"));
}

TEST(Registry, ANameThatIsTakenIsReportedAndKeepsItsEntry) {
  Registry<Fruit> registry = fruits();
  EXPECT_THAT(message_of<std::invalid_argument>([&] {
                registry.add({"apple", 9});
              }),
              "fruit: apple is registered already");
  EXPECT_EQ(registry.find("apple").price, 3);
  EXPECT_EQ(registry.entries().size(), 2U);
}

}  // namespace
}  // namespace ordinal

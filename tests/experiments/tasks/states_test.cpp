// Tasks with an answer at each symbol: what their automata do, and how their prompts are distributed.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <utility>

#include "framework/core/random.h"
#include "tests/experiments/tasks/pair.h"

namespace ordinal::experiments {
namespace {

TEST(FlipFlop, AsksForTheBitAfterTheLastWriteAtEachRead) {
  const auto task = make_task("flip_flop(ignore=0.3)");
  EXPECT_EQ(example(*task, 0, 1).tokens, "r0");
  for (Index n = 2; n <= 20; ++n) {
    const auto [tokens, targets] = example(*task, 0, n);
    SCOPED_TRACE(tokens);
    EXPECT_EQ(tokens.front(), 'w');
    EXPECT_EQ(tokens[tokens.size() - 2], 'r');
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      EXPECT_EQ(std::string("wri").find(tokens[i]) != std::string::npos, i % 2 == 0);
      const char expected = tokens[i] == 'r' ? tokens[tokens.rfind('w', i) + 1] : '~';
      EXPECT_EQ(targets[i], expected);
      EXPECT_TRUE(tokens[i] != 'r' || tokens[i + 1] == expected);
    }
  }
}

TEST(FlipFlop, DrawsWhatItsDefinitionSays) {
  for (const double ignore : {0.0, 0.3, 1.0}) {
    const auto task = make_task("flip_flop(ignore=" + number_text(ignore) + ")");
    for (Index n = 1; n <= 12; ++n) {
      Random random({5, hash_name("flip_flop.training"), 0, 3});
      const auto any = [&](const std::string& two) { return two[random.below(2)]; };
      std::string prompt;
      char written = '0';
      for (Index i = 0; i < n; ++i) {
        char instruction = i == 0 ? 'w' : 'r';
        if (i > 0 && i < n - 1) instruction = random.uniform() < ignore ? 'i' : any("wr");
        if (n == 1) instruction = 'r';
        const char bit = instruction == 'r' ? written : any("01");
        if (instruction == 'w') written = bit;
        prompt += {instruction, bit};
      }
      EXPECT_EQ(example(*task, 3, n).tokens, prompt);
    }
  }
}

// Shares of instructions between the first and the last, and of ones after w and i (Liu et al. 2023, FFL(p)).
TEST(FlipFlop, HasTheDistributionOfThePaper) {
  for (const double ignore : {0.1, 0.8}) {
    const auto task = make_task("flip_flop(ignore=" + number_text(ignore) + ")");
    std::map<char, double> count;
    std::map<char, double> ones;
    for (std::uint32_t i = 0; i < 200; ++i) {
      const std::string tokens = example(*task, i, 102).tokens;
      for (std::size_t t = 2; t < 202; t += 2) {
        count[tokens[t]] += 1.0;
        if (tokens[t + 1] == '1') ones[tokens[t]] += 1.0;
      }
    }
    EXPECT_NEAR(count['i'] / 20'000.0, ignore, 0.015);
    EXPECT_NEAR(count['w'] / 20'000.0, (1.0 - ignore) / 2.0, 0.015);
    EXPECT_NEAR(count['r'] / 20'000.0, (1.0 - ignore) / 2.0, 0.015);
    EXPECT_NEAR(ones['i'] / count['i'], 0.5, 0.05);
    EXPECT_NEAR(ones['w'] / count['w'], 0.5, 0.05);
  }
}

// A letter for each pair of places, swapped in a row of objects.
std::string places_of_first(const std::string& swaps, const std::string& objects) {
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (std::size_t i = 0; i < objects.size(); ++i) {
    for (std::size_t j = i + 1; j < objects.size(); ++j) pairs.emplace_back(i, j);
  }
  std::string row = objects;
  std::string places;
  for (const char swap : swaps) {
    if (swap != '-') {
      const auto& [i, j] = pairs.at(static_cast<std::size_t>(swap - 'a'));
      std::swap(row[i], row[j]);
    }
    places += static_cast<char>('0' + row.find(objects[0]));
  }
  return places;
}

TEST(Permutations, AskWhereTheFirstObjectIs) {
  for (const std::string objects : {"AB", "ABC", "ABCDE", "ABCDEFG"}) {
    const auto task = make_task("permutations(elements=" + std::to_string(objects.size()) + ")");
    for (std::uint32_t i = 0; i < 20; ++i) {
      const Pair one = example(*task, i, 30);
      EXPECT_EQ(one.targets, places_of_first(one.tokens, objects)) << one.tokens;
    }
  }
}

TEST(Permutations, OfTwoElementsAreTheParity) {
  const auto task = make_task("permutations(elements=2)");
  const Pair one = example(*task, 0, 50);
  for (std::size_t t = 0; t < 50; ++t) {
    const std::string prefix = one.tokens.substr(0, t + 1);
    EXPECT_EQ(one.targets[t], std::ranges::count(prefix, 'a') % 2 == 1 ? '1' : '0') << prefix;
  }
}

// Of 11 symbols and 5 places. Each symbol moves the object to each other place in 1 of 11 cases, so after 25 all are as likely.
TEST(Permutations, DrawAllSwapsAndReachAllPlacesEquallyOften) {
  const auto task = make_task("permutations");
  std::map<char, double> swaps;
  std::map<char, double> places;
  for (std::uint32_t i = 0; i < 400; ++i) {
    const Pair one = example(*task, i, 50);
    for (std::size_t t = 25; t < 50; ++t) {
      swaps[one.tokens[t]] += 1.0;
      places[one.targets[t]] += 1.0;
    }
  }
  ASSERT_EQ(swaps.size(), 11U);
  ASSERT_EQ(places.size(), 5U);
  for (const auto& [swap, count] : swaps) EXPECT_NEAR(count / 10'000.0, 1.0 / 11.0, 0.015) << swap;
  for (const auto& [place, count] : places) EXPECT_NEAR(count / 10'000.0, 0.2, 0.03) << place;
}

}  // namespace
}  // namespace ordinal::experiments

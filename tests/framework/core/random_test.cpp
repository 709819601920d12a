#include "framework/core/random.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <set>
#include <vector>

namespace ordinal {
namespace {

// Random123's kat_vectors: philox4x32 10 rounds, all-zero counter and key.
TEST(Random, IsPhilox4x32With10Rounds) {
  Random random({});
  EXPECT_EQ(random.bits(), 0x6627e8d5U);
  EXPECT_EQ(random.bits(), 0xe169c58dU);
  EXPECT_EQ(random.bits(), 0xbc57ac4cU);
  EXPECT_EQ(random.bits(), 0x9b00dbd8U);
}

TEST(Random, TheSameKeyGivesTheSameStream) {
  Random first({.seed = 3, .purpose = 4, .step = 5, .example = 6});
  Random second({.seed = 3, .purpose = 4, .step = 5, .example = 6});
  for (int i = 0; i < 100; ++i) EXPECT_EQ(first.bits(), second.bits());
}

TEST(Random, EveryPartOfTheKeyMatters) {
  std::set<std::uint32_t> firsts;
  for (const RandomKey& key : std::vector<RandomKey>{
           {1, 0, 0, 0}, {std::uint64_t{1} << 32U, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}, {}}) {
    firsts.insert(Random(key).bits());
  }
  EXPECT_EQ(firsts.size(), 6U);
}

TEST(Random, UniformFillsTheUnitInterval) {
  Random random({.seed = 1});
  constexpr int draws = 200'000;
  double sum = 0.0;
  double squares = 0.0;
  for (int i = 0; i < draws; ++i) {
    const double u = random.uniform();
    ASSERT_GE(u, 0.0);
    ASSERT_LT(u, 1.0);
    sum += u;
    squares += u * u;
  }
  EXPECT_NEAR(sum / draws, 0.5, 5.0 * std::sqrt(1.0 / 12.0 / draws));
  EXPECT_NEAR(squares / draws, 1.0 / 3.0, 5.0 * std::sqrt(4.0 / 45.0 / draws));
}

// Box and Muller 1958: the specification of a training names it, so that others can draw the same initial values.
TEST(Random, NormalIsTheCosineOfTwoUniforms) {
  Random normals({.seed = 5});
  Random uniforms({.seed = 5});
  for (int i = 0; i < 100; ++i) {
    const double radius = std::sqrt(-2.0 * std::log(1.0 - uniforms.uniform()));
    EXPECT_NEAR(normals.normal(), radius * std::cos(2.0 * std::numbers::pi * uniforms.uniform()), 1e-12);
  }
}

// 2³² bits do not divide among 3·2³⁰ numbers: without rejection every third one comes twice as often.
TEST(Random, BelowIsUniformForBoundsThatDoNotDivide2ToThe32) {
  Random random({.seed = 3});
  constexpr int draws = 60'000;
  std::vector<int> counts(3);
  for (int i = 0; i < draws; ++i) ++counts.at(random.below(3U << 30U) % 3);
  for (const int count : counts) EXPECT_NEAR(count, draws / 3.0, 5.0 * std::sqrt(draws * 2.0 / 9.0));
}

// The rule of framework/README.md, "What a training draws".
TEST(Random, BelowTakesTheHighWordsOfProductsThatAreNotSkipped) {
  for (const std::uint64_t bound :
       {1ULL, 7ULL, 1'000'003ULL, 3ULL << 30U, 0x80000001ULL, 0xFFFFFFFFULL, 1ULL << 32U}) {
    Random words({.seed = 4});
    Random random({.seed = 4});
    const auto expected = [&] {
      while (true) {
        const std::uint64_t product = words.bits() * bound;
        if (product % (1ULL << 32U) >= (1ULL << 32U) % bound) return product >> 32U;
      }
    };
    for (int i = 0; i < 1000; ++i) ASSERT_EQ(random.below(bound), expected()) << bound;
  }
  EXPECT_THROW(Random({.seed = 4}).below(0), std::invalid_argument);
}

TEST(Random, BelowIsUniformForBoundsOfUpTo64Bits) {
  for (const std::uint64_t bound : {7ULL, 1ULL << 32U, 4'800'000'000ULL, 3ULL << 62U, ~0ULL}) {
    Random random({.seed = 5});
    constexpr int draws = 70'000;
    std::vector<int> counts(7);
    for (int i = 0; i < draws; ++i) {
      const std::uint64_t draw = random.below(bound);
      ASSERT_LT(draw, bound);
      ++counts.at(static_cast<std::size_t>(static_cast<double>(draw) * 7.0 / static_cast<double>(bound)));
    }
    for (const int count : counts) EXPECT_NEAR(count, draws / 7.0, 5.0 * std::sqrt(draws / 7.0)) << bound;
  }
}

TEST(HashName, TellsNamesApart) {
  static_assert(hash_name("") == 2166136261U);  // FNV-1a's offset basis
  EXPECT_NE(hash_name("block.0.attention"), hash_name("block.1.attention"));
}

}  // namespace
}  // namespace ordinal

// Stored sines and cosines, as computed and rounded to 16 bits.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "framework/positional/encodings/sinusoidal.h"
#include "framework/positional/sinusoid_table.h"
#include "tests/framework/largest_difference.h"

namespace ordinal {
namespace {

using ::testing::HasSubstr;

const std::vector<double> frequencies = sinusoidal_frequencies(16);

TEST(SinusoidTable, StoresWhatItComputes) {
  const SinusoidTable<float> stored(frequencies, 100, SinusoidLayout::split);
  const SinusoidTable<float> computed(frequencies, 0, SinusoidLayout::split);
  std::vector<float> a(16);
  std::vector<float> b(16);
  for (const double position : {0.0, 1.0, 57.0, 99.0, 100.0, 12.5, -3.0}) {
    stored.write(position, a.data());
    computed.write(position, b.data());
    EXPECT_EQ(a, b) << position;
  }
}

TEST(SinusoidTable, LaysOutSinesAndCosines) {
  std::vector<double> interleaved(16);
  std::vector<double> split(16);
  SinusoidTable<double>(frequencies, 0, SinusoidLayout::interleaved).write(3.0, interleaved.data());
  SinusoidTable<double>(frequencies, 0, SinusoidLayout::split).write(3.0, split.data());
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_EQ(interleaved[2 * i], std::sin(3.0 * frequencies[i]));
    EXPECT_EQ(interleaved[2 * i + 1], std::cos(3.0 * frequencies[i]));
    EXPECT_EQ(split[i], interleaved[2 * i]);
    EXPECT_EQ(split[8 + i], interleaved[2 * i + 1]);
  }
}

TEST(SinusoidTable, LendsStoredRowsAndComputesTheOthers) {
  const SinusoidTable<double> table(frequencies, 20, SinusoidLayout::split);
  const ParameterLayout layout;
  const Parameters<double> none(layout);
  Pass<double> pass(none);
  pass.begin({.positions = Positions::contiguous(1, 4)});
  const std::vector<double> within = {3, 4, 5};
  const std::vector<double> beyond = {18, 19, 20};
  EXPECT_EQ(table.rows(within, pass).data, table.rows(std::vector<double>{3}, pass).data);
  const View<const double> rows = table.rows(beyond, pass);
  EXPECT_EQ(rows.rows, 3);
  EXPECT_EQ(rows(2, 1), std::sin(20.0 * frequencies[1]));
  EXPECT_EQ(table.rows(std::vector<double>{2.5}, pass)(0, 1), std::sin(2.5 * frequencies[1]));
}

TEST(SinusoidTable, GivesTheRowsOfEverySequenceOrThoseThatAllShare) {
  const SinusoidTable<double> table(frequencies, 10, SinusoidLayout::split);
  const ParameterLayout layout;
  const Parameters<double> none(layout);
  Pass<double> pass(none);
  const Positions shared = Positions::contiguous(3, 4);
  pass.begin({.positions = shared});
  EXPECT_EQ(table.rows(shared, pass).rows, 4);
  const View<const double> rows = table.rows(Positions::per_sequence(2, {1.0, 2.5, 7.0, 30.0}), pass);
  ASSERT_EQ(rows.rows, 4);
  const std::vector<double> positions = {1.0, 2.5, 7.0, 30.0};
  for (Index r = 0; r < 4; ++r) {
    EXPECT_EQ(rows(r, 1), std::sin(positions[static_cast<std::size_t>(r)] * frequencies[1]));
  }
}

// A range of positions may be larger than any memory.
TEST(SinusoidTable, OfAnEncodingKeepsOnlyTheFirstRows) {
  for (const char* name : {"sinusoidal", "rope", "xpos", "transformer_xl"}) {
    const auto table_of = [&](Index longest) {
      ParameterLayout layout;
      const ModelShape shape{.d_model = 4, .heads = 1, .n_kv_heads = 1, .layers = 1, .longest = longest};
      return make_positional_encoding<float>(name, shape, Scope(layout))->constants();
    };
    EXPECT_THAT(table_of(100), HasSubstr("table of 1600 bytes")) << name;
    EXPECT_THAT(table_of(2'000'000'000), HasSubstr("table of 1048576 bytes")) << name;
  }
}

// sin 300 = -0.99975584 lies just above the middle between two halves; the nearest float is that middle, and would go to
// -1, the even one.
TEST(SinusoidTable, InSixteenBitsIsRoundedOnce) {
  for (const Index kept : {1, 301}) {
    const SinusoidTable<float> table({1.0}, kept, SinusoidLayout::sines, "half");
    float sine = 0.0F;
    table.write(300.0, &sine);
    EXPECT_EQ(sine, -0.99951171875F) << kept;
  }
}

// At position 60,001 neighbouring numbers of 16 bits lie 32 apart: angles in them would be meaningless.
TEST(SinusoidTable, TrapInSixteenBitsSinesLoseDigitsAndAnglesNone) {
  const SinusoidTable<float> full(frequencies, 500, SinusoidLayout::split);
  EXPECT_EQ(full.memory_bytes(), 500 * 16 * 4);
  for (const auto& [name, bound] : {std::pair{"half", 0x1p-12}, std::pair{"bfloat16", 0x1p-9}}) {
    const SinusoidTable<float> table(frequencies, 500, SinusoidLayout::split, name);
    double worst = 0.0;
    std::vector<float> exact(16);
    std::vector<float> rounded(16);
    for (const double position : {1.0, 77.0, 499.0, 500.0, 60'001.0}) {
      full.write(position, exact.data());
      table.write(position, rounded.data());
      worst = testing::larger_error(worst, testing::largest_difference(exact, rounded));
    }
    EXPECT_LE(worst, bound + 1e-7) << name;
    EXPECT_GT(worst, bound / 8) << name;
  }
}

}  // namespace
}  // namespace ordinal

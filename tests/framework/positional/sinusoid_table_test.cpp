// Stored sines and cosines, as computed and rounded to 16 bits.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "framework/positional/encodings/sinusoidal.h"
#include "framework/positional/sinusoid_table.h"
#include "tests/framework/largest_difference.h"

namespace ordinal {
namespace {

const std::vector<double> frequencies = sinusoidal_frequencies(16);
const std::vector<Sinusoid> columns = sines_then_cosines(frequencies);

TEST(SinusoidTable, StoresWhatItComputes) {
  const SinusoidTable<float> stored(columns, 100);
  const SinusoidTable<float> computed(columns, 0);
  std::vector<float> a(16);
  std::vector<float> b(16);
  for (const double position : {0.0, 1.0, 57.0, 99.0, 100.0, 12.5, -3.0}) {
    stored.write(position, a.data());
    computed.write(position, b.data());
    EXPECT_EQ(a, b) << position;
  }
}

TEST(SinusoidTable, HoldsSinesAndCosines) {
  std::vector<double> row(16);
  SinusoidTable<double>(columns, 0).write(3.0, row.data());
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_EQ(row[i], std::sin(3.0 * frequencies[i]));
    EXPECT_EQ(row[8 + i], std::cos(3.0 * frequencies[i]));
  }
}

TEST(SinusoidTable, LendsStoredRowsAndComputesTheOthers) {
  const SinusoidTable<double> table(columns, 20);
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
  EXPECT_EQ(table.rows(std::vector<double>{3, 5, 8}, pass)(1, 1), std::sin(5.0 * frequencies[1]));
}

TEST(SinusoidTable, GivesTheRowsOfEverySequenceOrThoseThatAllShare) {
  const SinusoidTable<double> table(columns, 10);
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
    ParameterLayout layout;
    const ModelShape shape{.d_model = 4, .heads = 1, .n_kv_heads = 1, .longest = 2'000'000'000};
    EXPECT_NO_THROW(make_positional_encoding<float>(name, shape, Scope(layout))) << name;
  }
  EXPECT_EQ(rows_to_keep(100), 100);
  EXPECT_EQ(rows_to_keep(2'000'000'000), 65536);
}

// sin 300 = -0.99975584 lies just above the middle between two halves; the nearest float is that middle, and would go to
// -1, the even one.
TEST(SinusoidTable, InSixteenBitsIsRoundedOnce) {
  for (const Index kept : {1, 301}) {
    const SinusoidTable<float> table({{.frequency = 1.0}}, kept, "half");
    float sine = 0.0F;
    table.write(300.0, &sine);
    EXPECT_EQ(sine, -0.99951171875F) << kept;
  }
}

// At position 60,001 neighbouring numbers of 16 bits lie 32 apart: angles in them would be meaningless.
TEST(SinusoidTable, TrapInSixteenBitsSinesLoseDigitsAndAnglesNone) {
  const SinusoidTable<float> full(columns, 500);
  for (const auto& [name, bound] : {std::pair{"half", 0x1p-12}, std::pair{"bfloat16", 0x1p-9}}) {
    const SinusoidTable<float> table(columns, 500, name);
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

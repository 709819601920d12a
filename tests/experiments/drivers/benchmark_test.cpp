// The benchmark program: what it says. How fast a machine is, no test asserts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "framework/positional/positional_encoding.h"
#include "tests/experiments/drivers/program.h"

namespace ordinal::experiments::testing {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;

TEST(Benchmark, OfAStepSaysHowFastAndWhereTheTimeGoes) {
  const std::string said = run_well("benchmark", "--quiet --benchmark.sizes=tiny --benchmark.steps=2").out;
  EXPECT_THAT(said, ContainsRegex("\ntiny( +[0-9.]+){3} +[0-9]+%\n"));
  EXPECT_THAT(said, ContainsRegex("  feed_forward [1-9][0-9]*%"));
}

TEST(Benchmark, ReportsAllProblemsBeforeTheWork) {
  EXPECT_EQ(error_of("benchmark", "--benchmark.sizes=huge --benchmark.encodings=x", 2),
            "benchmark: benchmark.sizes: got 'huge', expected tiny, small, medium or big\n"
            "benchmark: benchmark.encodings: got 'x', expected tiny, small, medium or big\n");
}

TEST(Benchmark, HoldsEveryEncodingAgainstNone) {
  const std::string said =
      run_well("benchmark", "--quiet --benchmark.sizes= --benchmark.encodings=tiny --benchmark.steps=1").out;
  for (const EncodingEntry& encoding : encodings().entries())
    EXPECT_THAT(said, ContainsRegex("\n" + encoding.name + " +[0-9.]+\n"));
  EXPECT_THAT(said, HasSubstr("as a multiple of none: tiny\n"));
}

}  // namespace
}  // namespace ordinal::experiments::testing

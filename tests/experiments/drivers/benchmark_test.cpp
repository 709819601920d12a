// The benchmark program: its report, and the two facts that do not depend on the speed of the machine.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "framework/core/stopwatch.h"
#include "framework/positional/positional_encoding.h"
#include "tests/experiments/drivers/program.h"

namespace ordinal::experiments::testing {
namespace {

using ::testing::HasSubstr;

nlohmann::json benchmark(const std::string& arguments) {
  run_well("benchmark", "--quiet --json out.json " + arguments);
  return nlohmann::json::parse(read_file(own_folder() / "out.json"));
}

TEST(Benchmark, OfAStepSaysHowFastAndWhereTheTimeGoes) {
  const auto json = benchmark("--benchmark.sizes=tiny --benchmark.steps=2");
  const auto& step = json.at("sizes").at(0);
  EXPECT_EQ(step.at("name"), "tiny");
  for (const char* key : {"ms", "tokens_per_s", "gflops", "share_of_peak", "memory_bytes"}) {
    EXPECT_GT(step.at(key).get<double>(), 0.0) << key;
  }
  EXPECT_EQ(step.at("parts_ms").size(), work_count);
  EXPECT_GT(step.at("parts_ms").at("products").get<double>(), 0.0);
}

TEST(Benchmark, AStepAfterTheFirstAllocatesNothing) {
  const auto json = benchmark("--benchmark.sizes=tiny,small --benchmark.steps=3 --threads=2");
  for (const auto& step : json.at("sizes"))
    EXPECT_EQ(step.at("allocations_per_step"), 0.0) << step.at("name");
}

TEST(Benchmark, RefusesAModelThatItDoesNotTime) {
  expect_refused("benchmark", "--quiet --benchmark.sizes=tiny --model.d_model=96",
                 "model.d_model: only the size config uses it; add --benchmark.sizes=config");
}

TEST(Benchmark, TimesASizeOfOnesOwn) {
  const auto json = benchmark(
      "--benchmark.sizes=config --model.d_model=16 --model.layers=1 --task.train_length=8 --train.batch=2 "
      "--benchmark.steps=2");
  const auto& size = json.at("sizes").at(0);
  EXPECT_EQ(size.at("name"), "config");
  EXPECT_NEAR(size.at("gflops").get<double>() * size.at("ms").get<double>() * 1e6,
              16.0 * (6.0 * 12.0 * 256.0 + 6.0 * 256.0 * 16.0 + 12.0 * 8.0 * 16.0), 1.0);
}

TEST(Benchmark, ReportsAllProblemsBeforeTheWork) {
  EXPECT_THAT(error_of("benchmark", "--benchmark.sizes=huge --benchmark.forward=x --benchmark.lengths=0", 3),
              HasSubstr("got 'huge', expected tiny, small, medium, big or config"));
  EXPECT_EQ(run_program("benchmark", "--quiet --json /nowhere/b.json").out, "");
}

TEST(Benchmark, HoldsEveryEncodingAgainstNone) {
  const auto json = benchmark("--benchmark.sizes= --benchmark.encodings=tiny --benchmark.steps=1");
  EXPECT_EQ(json.at("encodings").size(), encodings().entries().size());
}

TEST(BenchmarkSlow, SixtyFiveThousandPositionsAreScoredInLessThanAGibibyte) {
  const auto json = benchmark("--benchmark.sizes= --benchmark.lengths=65536 --benchmark.generate=10");
  EXPECT_LT(json.at("evaluation").at(0).at("peak_bytes").get<double>(), 0x1p30);
  EXPECT_GT(json.at("generation").at("tokens_per_s").get<double>(), 0.0);
}

}  // namespace
}  // namespace ordinal::experiments::testing

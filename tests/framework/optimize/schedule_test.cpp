#include "framework/optimize/schedule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "framework/core/errors.h"

namespace ordinal {
namespace {

ScheduleOptions options(const std::string& name) {
  return {.name = name, .peak = 2.0, .steps = 110, .warmup = 10, .final_fraction = 0.2};
}

TEST(Schedule, EveryOneWarmsUpLinearlyToThePeak) {
  for (const std::string& name : schedules().names()) {
    EXPECT_DOUBLE_EQ(learning_rate(options(name), 0), 0.2) << name;
    EXPECT_DOUBLE_EQ(learning_rate(options(name), 4), 1.0) << name;
    EXPECT_DOUBLE_EQ(learning_rate(options(name), 9), 2.0) << name;
  }
}

TEST(Schedule, ConstantStaysAtThePeak) { EXPECT_EQ(learning_rate(options("constant"), 109), 2.0); }

TEST(Schedule, CosineFallsToTheFinalFraction) {
  EXPECT_NEAR(learning_rate(options("cosine"), 59), 2.0 * (0.2 + 0.8 * 0.5), 1e-12);  // half way
  EXPECT_NEAR(learning_rate(options("cosine"), 109), 0.4, 1e-12);
  EXPECT_NEAR(learning_rate(options("cosine"), 5000), 0.4, 1e-12);
}

TEST(Schedule, LinearFallsToTheFinalFraction) {
  EXPECT_NEAR(learning_rate(options("linear"), 34), 2.0 * (1.0 - 0.8 * 0.25), 1e-12);
  EXPECT_NEAR(learning_rate(options("linear"), 109), 0.4, 1e-12);
}

// Vaswani et al. 2017, eq. 3: d^-0.5 min(s^-0.5, s w^-1.5), whose peak is (d w)^-0.5.
TEST(Schedule, InverseSquareRootIsThatOfVaswani) {
  constexpr double d = 512.0;
  constexpr double w = 40.0;
  const ScheduleOptions vaswani{
      .name = "inverse_sqrt", .peak = 1.0 / std::sqrt(d * w), .steps = 1000, .warmup = 40};
  for (const Index step : {0, 10, 39, 40, 200, 999}) {
    const auto s = static_cast<double>(step + 1);
    EXPECT_NEAR(learning_rate(vaswani, step),
                std::min(1.0 / std::sqrt(s), s * std::pow(w, -1.5)) / std::sqrt(d), 1e-15);
  }
}

TEST(Schedule, WithoutWarmupStartsAtThePeak) {
  ScheduleOptions no_warmup = options("inverse_sqrt");
  no_warmup.warmup = 0;
  EXPECT_EQ(learning_rate(no_warmup, 0), 2.0);
  no_warmup.name = "constant";
  EXPECT_EQ(learning_rate(no_warmup, 0), 2.0);
}

TEST(Schedule, IsMadeFromATextWithOptions) {
  EXPECT_EQ(make_schedule("linear").name, "linear");
  EXPECT_EQ(make_schedule("cosine").final_fraction, 0.1);
  EXPECT_EQ(make_schedule("cosine(final_fraction=0)").final_fraction, 0.0);
  EXPECT_THAT([] { make_schedule("constant(final_fraction=0)"); },
              ::testing::ThrowsMessage<ConfigError>("constant has no options, got final_fraction = 0"));
  EXPECT_THAT(
      [] { make_schedule("cosine(final_fraction=2)"); },
      ::testing::ThrowsMessage<ConfigError>("cosine: final_fraction: got 2, expected a number from 0 to 1"));
  EXPECT_THAT(
      [] { make_schedule("step"); },
      ::testing::ThrowsMessage<ConfigError>(::testing::HasSubstr("schedule: got 'step', expected one of")));
}

}  // namespace
}  // namespace ordinal

#include "framework/optimize/schedule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "framework/core/errors.h"
#include "tests/message_of.h"

namespace ordinal {
namespace {

ScheduleOptions options(const std::string& name) {
  return {.name = name, .peak = 2.0, .steps = 110, .warmup = 10, .final_fraction = 0.2};
}

// Steps up to more than the last one.
const std::vector<Index> some_steps = {0, 1, 4, 9, 10, 11, 34, 59, 108, 109, 110, 5000, 1'000'000'000};

std::vector<double> rates(const ScheduleOptions& of) {
  std::vector<double> all;
  for (const Index step : some_steps) all.push_back(learning_rate(of, step));
  return all;
}

class EverySchedule : public ::testing::TestWithParam<std::string> {};

TEST_P(EverySchedule, WarmsUpLinearlyToThePeak) {
  EXPECT_DOUBLE_EQ(learning_rate(options(GetParam()), 0), 0.2);
  EXPECT_DOUBLE_EQ(learning_rate(options(GetParam()), 4), 1.0);
  EXPECT_DOUBLE_EQ(learning_rate(options(GetParam()), 9), 2.0);
}

TEST_P(EverySchedule, IsBetweenNothingAndThePeak) {
  ScheduleOptions any = options(GetParam());
  for (const Index warmup : {0, 10, 200}) {
    for (const Index steps : {0, 1, 110}) {
      any.warmup = warmup;
      any.steps = steps;
      for (const double rate : rates(any))
        ASSERT_TRUE(rate >= 0.0 && rate <= any.peak * (1.0 + 1e-12))
            << "a rate of " << rate << " with " << steps << " steps and " << warmup << " of warm-up";
    }
  }
}

// A run that is resumed has not asked for earlier steps.
TEST_P(EverySchedule, IsAFunctionOfTheStepAlone) {
  const std::vector<double> in_order = rates(options(GetParam()));
  for (std::size_t i = some_steps.size(); i-- > 0;)
    EXPECT_TRUE(learning_rate(options(GetParam()), some_steps[i]) == in_order[i])
        << "the rate of step " << some_steps[i] << " depends on what was asked before";
}

// A training without it may be continued for more steps.
TEST_P(EverySchedule, DependsOnTheLastStepOnlyIfItEndsAtTheFinalFraction) {
  ScheduleOptions longer = options(GetParam());
  if (longer.depends_on_steps()) {
    EXPECT_NEAR(learning_rate(longer, 109), 0.4, 1e-12);
    EXPECT_NEAR(learning_rate(longer, 5000), 0.4, 1e-12);
  } else {
    longer.steps = 300;
    EXPECT_TRUE(rates(longer) == rates(options(GetParam())))
        << "it depends on the number of steps, without the option final_fraction";
  }
}

INSTANTIATE_TEST_SUITE_P(Registry, EverySchedule, ::testing::ValuesIn(schedules().names()),
                         [](const auto& info) { return info.param; });

TEST(Schedule, ConstantStaysAtThePeak) { EXPECT_EQ(learning_rate(options("constant"), 109), 2.0); }

TEST(Schedule, CosineIsHalfWayInTheMiddle) {
  EXPECT_NEAR(learning_rate(options("cosine"), 59), 2.0 * (0.2 + 0.8 * 0.5), 1e-12);
}

TEST(Schedule, LinearFallsLinearly) {
  EXPECT_NEAR(learning_rate(options("linear"), 34), 2.0 * (1.0 - 0.8 * 0.25), 1e-12);
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
  EXPECT_THAT(message_of<ConfigError>([] { make_schedule("constant(final_fraction=0)"); }),
              "constant has no options, got final_fraction = 0");
  EXPECT_THAT(message_of<ConfigError>([] { make_schedule("cosine(final_fraction=2)"); }),
              "cosine: final_fraction: got 2, expected a number from 0 to 1");
  EXPECT_THAT(message_of<ConfigError>([] { make_schedule("step"); }),
              ::testing::HasSubstr("schedule: got 'step', expected one of"));
}

}  // namespace
}  // namespace ordinal

#include "experiments/process/progress.h"

#include <gtest/gtest.h>

#include <limits>

namespace ordinal::experiments {
namespace {

TEST(RecentMean, IsOfTheLastValues) {
  RecentMean loss;
  EXPECT_EQ(loss.value(), 0.0);
  for (const double value : {4.0, 2.0, 3.0}) loss.add(value);
  EXPECT_DOUBLE_EQ(loss.value(), 3.0);
  for (int i = 0; i < 200; ++i) loss.add(1.0);
  EXPECT_NEAR(loss.value(), 1.0, 1e-3) << "the first values no longer count";
  loss.add(3.0);
  EXPECT_NEAR(loss.value(), 1.1, 1e-3);
}

TEST(RecentMean, LeavesOutWhatIsNotFinite) {
  RecentMean loss;
  for (const double value :
       {2.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(), 4.0})
    loss.add(value);
  EXPECT_DOUBLE_EQ(loss.value(), 3.0);
}

TEST(DurationText, IsShortAtEveryScale) {
  EXPECT_EQ(duration_text(0.4), "0 s");
  EXPECT_EQ(duration_text(59.4), "59 s");
  EXPECT_EQ(duration_text(59.6), "1 min 00 s");
  EXPECT_EQ(duration_text(200), "3 min 20 s");
  EXPECT_EQ(duration_text(7500), "2 h 05 min");
}

}  // namespace
}  // namespace ordinal::experiments

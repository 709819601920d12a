#include "experiments/process/progress.h"

#include <gtest/gtest.h>

#include <limits>

#include "experiments/process/utf8.h"

namespace ordinal::experiments {
namespace {

TrainingStatus halfway() {
  return {.label = "[2/4] sinusoidal seed 1",
          .step = 750,
          .steps = 1500,
          .loss = 3.1234,
          .tokens_per_second = 12345,
          .time_left = "12 s"};
}

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

// A narrow terminal keeps the beginning: which training, how far, and how long it takes.
TEST(StatusLine, SaysHowFarFirst) {
  EXPECT_EQ(status_line(halfway()),
            "[2/4] sinusoidal seed 1  step 750/1500  12 s left  loss 3.123 bits  12345 tokens/s");
}

TEST(Fitted, IsNeverWiderThanTheTerminalAndPassesOnNothingThatItObeys) {
  for (std::size_t columns = 1; columns < 40; ++columns)
    EXPECT_LE(display_width(fitted("sinusoïdal+t5@contiguous:yarn, d_model = 64", columns)), columns);
  EXPECT_EQ(fitted("r\033[2Jope\n", 79), "r\\x1b[2Jope\\x0a");
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

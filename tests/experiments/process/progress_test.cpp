#include "experiments/process/progress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "experiments/process/utf8.h"

namespace ordinal::experiments {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

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

TEST(DrawnLine, HasEverythingWhereThereIsRoom) {
  EXPECT_EQ(drawn_line(halfway(), 200),
            "[2/4] sinusoidal seed 1  ████████████░░░░░░░░░░░░   50%  step 750/1500  loss 3.123  "
            "12345 tokens/s  12 s left");
}

TEST(DrawnLine, KeepsBarLossAndTimeAt80Columns) {
  const std::string line = drawn_line(halfway(), 79);
  for (const char* part : {"sinusoidal seed 1", "█░", "50%", "loss 3.123", "12 s left"}) {
    EXPECT_THAT(line, HasSubstr(part));
  }
}

TEST(DrawnLine, NeverIsWiderThanTheTerminal) {
  TrainingStatus long_names = halfway();
  long_names.label = "[2/4] sinusoïdal+t5@contiguous:interpolated(factor=2), d_model = 64 seed 1";
  for (const TrainingStatus& status : {halfway(), long_names}) {
    for (std::size_t columns = 1; columns < 220; ++columns) {
      EXPECT_LE(display_width(drawn_line(status, columns)), columns);
    }
  }
}

TEST(DrawnLine, At20ColumnsSaysWhichTrainingAndHowFar) {
  EXPECT_EQ(drawn_line(halfway(), 19), "[2/4] sin   50%");
}

TEST(DrawnLine, DoesNotPassOnWhatATerminalObeys) {
  TrainingStatus status = halfway();
  status.label = "r\033[2Jope\n";
  EXPECT_THAT(drawn_line(status, 79), StartsWith("r\\x1b[2Jope\\x0a"));
}

TEST(PlainLine, HasNoBar) {
  EXPECT_EQ(plain_line(halfway()),
            "[2/4] sinusoidal seed 1  step 750/1500  loss 3.123 bits  12345 tokens/s  12 s left");
  EXPECT_THAT(plain_line(halfway()), Not(HasSubstr("█")));
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

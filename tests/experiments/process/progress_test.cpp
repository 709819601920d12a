#include "experiments/process/progress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
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
          .time_left = "12 s",
          .losses = {8, 7, 6, 5, 4, 3, 2, 1}};
}

TEST(Sparkline, IsLowestAtTheSmallestValueAndHighestAtTheLargest) {
  EXPECT_EQ(sparkline({8, 7, 6, 5, 4, 3, 2, 1}, 8), "█▇▆▅▄▃▂▁");
  EXPECT_EQ(sparkline({1, 8}, 8), "▁█");
}

TEST(Sparkline, AveragesNeighboursWhereThereAreMoreThanColumns) {
  EXPECT_EQ(sparkline({9, 7, 5, 3, 2, 0}, 3), "█▄▁");  // means 8, 4, 1
  EXPECT_EQ(sparkline({3, 3, 3}, 2), "▁▁") << "a flat loss";
  EXPECT_EQ(sparkline({}, 8), "");
}

TEST(LossCourse, KeepsTheWholeCourseInFewMeans) {
  LossCourse course;
  for (int i = 0; i < 1000; ++i) course.add(1000 - i);
  EXPECT_LE(course.means().size(), 64U);
  EXPECT_GE(course.means().size(), 32U);
  EXPECT_GT(course.means().front(), 980);
  EXPECT_LT(course.means().back(), 40);
  EXPECT_TRUE(std::ranges::is_sorted(course.means(), std::greater<>()));
}

TEST(LossCourse, LeavesOutWhatIsNotFinite) {
  LossCourse course;
  course.add(2.0);
  course.add(std::numeric_limits<double>::quiet_NaN());
  course.add(std::numeric_limits<double>::infinity());
  EXPECT_EQ(course.means(), std::vector<double>{2.0});
}

TEST(DrawnLine, HasEverythingWhereThereIsRoom) {
  EXPECT_EQ(drawn_line(halfway(), 200),
            "[2/4] sinusoidal seed 1  ████████████░░░░░░░░░░░░   50%  step 750/1500  loss 3.123  █▇▆▅▄▃▂▁  "
            "12345 tokens/s  12 s left");
}

TEST(DrawnLine, KeepsBarLossSparklineAndTimeAt80Columns) {
  const std::string line = drawn_line(halfway(), 79);
  for (const char* part : {"sinusoidal seed 1", "█░", "50%", "loss 3.123", "█▇▆▅▄▃▂▁", "12 s left"}) {
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

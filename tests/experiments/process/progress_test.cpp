#include "experiments/process/progress.h"

#include <gtest/gtest.h>

namespace ordinal::experiments {
namespace {

TEST(DurationText, IsShortAtEveryScale) {
  EXPECT_EQ(duration_text(0.4), "0 s");
  EXPECT_EQ(duration_text(59.4), "59 s");
  EXPECT_EQ(duration_text(59.6), "1 min 00 s");
  EXPECT_EQ(duration_text(200), "3 min 20 s");
  EXPECT_EQ(duration_text(7500), "2 h 05 min");
}

}  // namespace
}  // namespace ordinal::experiments

#include "experiments/claims/sections.h"

#include <gtest/gtest.h>

namespace ordinal::experiments {
namespace {

TEST(Claims, SayWhichSeedsCount) {
  Settings settings;
  settings.add_to_section("claim", "L1", "statement", "bits(none, 1x) > 1", "x.cfg:7");
  EXPECT_EQ(claims_of(settings).front().seeds, "");
  settings.add_to_section("claim", "L1", "seeds", "learned", "x.cfg:8");
  EXPECT_EQ(claims_of(settings).front().seeds, "learned");
}

}  // namespace
}  // namespace ordinal::experiments

#include "experiments/claims/timed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ordinal::experiments {
namespace {

// Which verdict is the machine's affair.
TEST(TimedClaims, SayWhatWasMeasured) {
  Threads threads(1);
  const DecidedClaims decided = timed_claims(threads);
  ASSERT_EQ(decided.results.size(), 1U);
  for (const ClaimResult& result : decided.results) {
    EXPECT_NE(result.verdict, Verdict::undecided) << result.claim.id;
    EXPECT_FALSE(result.claim.source.empty());
    EXPECT_THAT(result.why, ::testing::MatchesRegex("[0-9.]+ times, with d_model [0-9]+"));
  }
}

}  // namespace
}  // namespace ordinal::experiments

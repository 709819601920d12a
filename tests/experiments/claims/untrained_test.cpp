#include "experiments/claims/untrained.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace ordinal::experiments {
namespace {

// What the course notes say right, and where a number does not follow from their own formula.
TEST(DeterministicClaims, FollowTheFormulas) {
  const std::vector<std::string> wrong = {"S3", "S4", "S5", "S6", "S7", "S8b"};
  for (const ClaimResult& result : deterministic_claims().results) {
    const bool is_wrong = std::ranges::find(wrong, result.claim.id) != wrong.end();
    EXPECT_EQ(to_string(result.verdict), is_wrong ? "fails" : "holds")
        << result.claim.id << ": " << result.why;
    EXPECT_FALSE(result.claim.source.empty());
    EXPECT_FALSE(result.why.empty());
  }
}

// Which verdict is the machine's affair.
TEST(TimedClaimsSlow, SayWhatWasMeasured) {
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

#include "experiments/claims/claims_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ordinal::experiments {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::vector<DecidedClaims> one_claim() {
  DecidedClaims decided{.title = "1 * 2", .report = "run/why? 50% of #1/report.html"};
  decided.results.push_back({.claim = {.id = "T_1",
                                       .words = "More than a <bit>",
                                       .text = "bits(\"a|b\", 2x) > 1",
                                       .source = "a <table>, 2020"},
                             .verdict = Verdict::holds,
                             .effect = 0.1,
                             .n = 5,
                             .why = "1.1 against 1"});
  return {decided};
}

TEST(ClaimsReport, LinksToPagesWhosePathsHoldReservedCharacters) {
  EXPECT_THAT(claims_page(one_claim(), "run"),
              HasSubstr("<a href=\"why%3F 50%25 of %231/report.html\" title=\"1 * 2\">1 * 2</a>"));
}

TEST(ClaimsReport, InMarkdownHoldsNoMarkupOfItsTexts) {
  const std::string text = claims_markdown(one_claim());
  EXPECT_THAT(text, HasSubstr("## a \\<table\\>\n"));
  EXPECT_THAT(text, HasSubstr("| T\\_1 | More than a \\<bit\\> | a \\<table\\>, 2020 | holds | 0.100 |"));
}

TEST(ClaimsReport, InMarkdownKeepsCodeWithBackticksWhole) {
  std::vector<DecidedClaims> claims = one_claim();
  claims.front().config = "a`b.cfg";
  claims.front().results.front().claim.text = "bits(`x`, 2x) > 1";
  const std::string text = claims_markdown(claims);
  EXPECT_THAT(text, HasSubstr("| 5 | `` bits(`x`, 2x) > 1 `` | a\\`b.cfg |\n"));
}

TEST(ClaimsReport, IsAPageThatLoadsNothing) {
  const std::string page = claims_page(one_claim(), "run");
  EXPECT_THAT(page, HasSubstr("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'"));
  EXPECT_THAT(page, HasSubstr("td.holds"));
}

TEST(ClaimsReport, HasATableForEachPaperAndSaysWhatTheProcedurePromises) {
  std::vector<DecidedClaims> claims = {one_claim()[0], one_claim()[0]};
  claims[0].config = "a.cfg";
  claims[1].config = "b.cfg";
  claims[0].results[0].claim.source = "Press et al. 2022, Table 2 (20.05 to 43.54)";
  claims[1].results.push_back(claims[0].results[0]);
  claims[1].results[0].claim.source = "against course notes 3 (\"no values\")";
  for (const std::string& text : {claims_markdown(claims), claims_page(claims, "run")}) {
    EXPECT_THAT(text, ContainsRegex("(## |<h2>)Course notes[^P]*b[^P]*(## |<h2>)Press et al. 2022\\b"));
    EXPECT_THAT(text, HasSubstr("at most one experiment in twenty has any wrong verdict."));
  }
}

TEST(ClaimsReport, ShowsNoIntervalWhereSeedsHaveNoSpread) {
  std::vector<DecidedClaims> claims = one_claim();
  ClaimResult& result = claims.front().results.front();
  result.low = result.high = not_a_number;
  EXPECT_THAT(claims_markdown(claims), HasSubstr("| 0.100 |"));
  result.low = 0.05;
  result.high = 0.1;
  EXPECT_THAT(claims_markdown(claims), HasSubstr("| 0.100 (0.050 to 0.100) |"));
}

// The intervals of verdicts are corrected for all claims, so they are not those of 95 %.
TEST(ClaimsReport, AsCsvCallsItsIntervalsCorrected) {
  EXPECT_THAT(claims_csv(one_claim()),
              StartsWith("id,words,source,statement,expected,verdict,effect,low_corrected,"
                         "high_corrected,n,values,config,note\n"));
}

TEST(ClaimsReport, AsCsvQuotesOnlyWhatNeedsIt) {
  EXPECT_THAT(claims_csv(one_claim()),
              HasSubstr("\nT_1,More than a <bit>,\"a <table>, 2020\",\"bits(\"\"a|b\"\", 2x) > "
                        "1\",,holds,0.1,,,5,1.1 against 1,,\n"));
}

}  // namespace
}  // namespace ordinal::experiments

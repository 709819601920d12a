#include "experiments/claims/claims_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <tuple>

#include "experiments/claims/claims_page.h"

namespace ordinal::experiments {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

ClaimResult result(const std::string& id, const std::string& source, Verdict verdict,
                   const std::string& note = "") {
  const std::string statement = "bits(\"a|b\", 2x) >= 1";
  const WrittenSection section{"claim",
                               id,
                               "mine/a.cfg:12",
                               {{"words", "More than a <bit>", ""},
                                {"statement", statement, ""},
                                {"source", source, ""},
                                {"registered", "2026-11-28", ""},
                                {"note", note, ""}}};
  return {.claim = {section}, .verdict = verdict, .why = "nothing"};
}

DecidedClaims several() {
  return {
      {result("Z_1", "Zhou 2023, table 1", Verdict::holds), result("O1", "own, README", Verdict::undecided),
       result("N1", "course notes 3", Verdict::fails, "theirs is *larger*"),
       result("A1", "Abe 2020 <x>", Verdict::not_run)},
      {{"withdrawn",
        "W1",
        "",
        {{"words", "less", ""}, {"reason", "the floor", ""}, {"then", "fails, 0.1", ""}}},
       {"withdrawn", "W2", "", {{"words", "more", ""}, {"reason", "never run", ""}}}}};
}

TEST(ClaimsReport, CountsByGroupAndVerdict) {
  EXPECT_THAT(
      claims_markdown(several()),
      HasSubstr("| claims of | hold | hold in another setting | not reproduced | undecided | not run |\n"
                "|---|---:|---:|---:|---:|---:|\n| papers | 1 | 0 | 0 | 0 | 1 |\n"
                "| course notes | 0 | 0 | 1 | 0 | 0 |\n| own findings | 0 | 0 | 0 | 1 | 0 |\n"
                "| withdrawn, then | 0 | – | 1 | 0 | 1 |\n"));
  EXPECT_THAT(claims_text(several()), HasSubstr("\n4 claims: 1 hold, 1 fail, 1 undecided, 1 not run yet\n"));
}

TEST(ClaimsReport, CountsAClaimOnceInAllItsSettings) {
  const auto again = [](const std::string& id, const std::string& of, Verdict verdict) {
    ClaimResult retry = result(id, "Zhou 2023", verdict);
    retry.claim.section.settings.push_back({"again", of, ""});
    return retry;
  };
  const auto summary = [&](Verdict first, Verdict second) {
    const std::string text = claims_text({{result("A1", "Zhou 2023", first), again("A2", "A1", second)}, {}});
    return text.substr(text.find("1 claim"));
  };
  const auto [holds, fails, undecided] = std::tuple(Verdict::holds, Verdict::fails, Verdict::undecided);
  EXPECT_EQ(summary(fails, holds),
            "1 claim: 0 hold, 1 hold in another setting, 0 fail, 0 undecided, 0 not run yet\n");
  EXPECT_EQ(summary(holds, fails),
            "1 claim: 1 hold, 0 hold in another setting, 0 fail, 0 undecided, 0 not run yet\n");
  EXPECT_EQ(summary(undecided, fails),
            "1 claim: 0 hold, 0 hold in another setting, 1 fail, 0 undecided, 0 not run yet\n");
  const DecidedClaims decided = {
      {again("A2", "A1", holds), again("B1", "elsewhere", fails), result("A1", "Zhou 2023", fails)}, {}};
  EXPECT_THAT(claims_text(decided), HasSubstr("2 claims: 0 hold, 1 hold in another setting, 1 fail"))
      << "one whose first claim is not here stands alone";
  const std::string page = claims_markdown(decided);
  EXPECT_THAT(page, HasSubstr("| holds in another setting | A1: "));
  EXPECT_LT(page.find("| A1:"), page.find("| ↳ again: holds | A2: "));
}

TEST(ClaimsReport, AsTextHasAColumnAsWideAsItsLongestId) {
  const DecidedClaims decided = {
      {result("kazemnejad-copy-t5-alibi-24", "own", Verdict::undecided), result("A1", "own", Verdict::holds)},
      {}};
  const std::string blanks(25, ' ');
  EXPECT_THAT(claims_text(decided), StartsWith("kazemnejad-copy-t5-alibi-24 undecided   More than a <bit>\n" +
                                               std::string(39, ' ') + " nothing\nA1" + blanks +
                                               " holds       More than a <bit>\n"));
  EXPECT_THAT(claims_text({{decided.results[0]}, {}}), HasSubstr("\n1 claim: 0 hold"));
}

TEST(ClaimsReport, SortsTheClaimsOfPapersBySource) {
  const std::string text = claims_markdown(several());
  EXPECT_THAT(text, HasSubstr("Claims of papers:\n\n| verdict | claim | measured | source "
                              "|\n|---|---|---|---|\n| not run yet | A1: More"));
  EXPECT_LT(text.find("| A1:"), text.find("| Z\\_1:"));
}

TEST(ClaimsReport, HoldsNoMarkupOfItsTexts) {
  EXPECT_THAT(
      claims_markdown(several()),
      AllOf(HasSubstr("| holds | Z\\_1: More than a \\<bit\\> (bits(\"a\\|b\", 2x) \\>= 1) | nothing | "
                      "Zhou 2023, table 1 |"),
            HasSubstr("\n- N1: theirs is \\*larger\\*\n- W1, withdrawn: less (the floor; then: fails, "
                      "0.1)\n- W2, withdrawn: more (never run)\n")));
  EXPECT_THAT(claims_page(several(), {}),
              AllOf(HasSubstr("Content-Security-Policy\" content=\"default-src 'none'"),
                    HasSubstr("Abe 2020 &lt;x&gt;"),
                    HasSubstr("<li>W1, withdrawn: less (the floor; then: fails, 0.1)</li>")));
}

TEST(ClaimsReport, AsAPageIsChosenByVerdictPaperAndEncoding) {
  DecidedClaims decided = several();
  ClaimResult& first = decided.results.front();
  first.claim.statement = parse_statement("accuracy(a, 2x) > accuracy(b, 2x)");
  first.claim.statement.sides[0].encoding = "rope";
  first.claim.statement.sides[1].encoding = "alibi";
  first.claim.statement.sides[0].metric = first.claim.statement.sides[1].metric =
      plain_metrics(Measure::accuracy).front();
  first.sides = {Group{.summary = {.mean = 0.75}}, Group{.summary = {.mean = 0.5}}};
  first.comparison = compare({0.25});
  const std::string page = claims_page(decided, {});
  EXPECT_THAT(page,
              HasSubstr("data-verdict=\"holds\" data-paper=\"Zhou 2023\" data-encoding=\"rope\nalibi\""));
  EXPECT_THAT(page,
              HasSubstr("<span>a, 2x: 0.750</span><i style=\"width:75.0%\"></i><span>b, 2x: 0.500</span>"
                        "<i style=\"width:50.0%\"></i>"));
}

TEST(ClaimsReport, SaysWhatTheProcedurePromisesAndHowLooksCount) {
  EXPECT_THAT(claims_markdown(several()),
              AllOf(HasSubstr("at most one config in twenty has any wrong verdict"),
                    HasSubstr("its p is multiplied by k")));
}

// The intervals of verdicts are corrected for all claims, so they are not those of 95 %.
TEST(ClaimsReport, AsCsvCallsItsIntervalsCorrected) {
  EXPECT_THAT(
      claims_csv(several()),
      AllOf(
          StartsWith("id,words,source,registered,looks,again,statement,verdict,effect,low_corrected,high_"
                     "corrected,n,"
                     "measured,config,note\n"),
          HasSubstr("\nZ_1,More than a <bit>,\"Zhou 2023, table 1\",2026-11-28,1,,\"bits(\"\"a|b\"\", 2x) >= "
                    "1\",holds,,,,0,nothing,a.cfg,\n")));
}

}  // namespace
}  // namespace ordinal::experiments

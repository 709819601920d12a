#include "experiments/claims/claim.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "framework/core/errors.h"
#include "tests/message_of.h"

namespace ordinal::experiments {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;
using Keys = std::vector<std::pair<std::string, std::string>>;

const Keys whole = {{"words", "less"},
                    {"statement", "bits(sinusoidal, 2x) > bits(none, 4)"},
                    {"source", "me"},
                    {"registered", "2026-11-28"}};

Settings with_claim(const Keys& keys) {
  Settings settings;
  settings.set("task.train_length", "4", "x.cfg:1");
  settings.add_to_section("compare", "", "model.encoding", "sinusoidal, learned, none", "x.cfg:2");
  settings.add_to_section("claim", "C1", "", "", "x.cfg:7");
  for (const auto& [key, value] : keys) settings.add_to_section("claim", "C1", key, value, "x.cfg:8");
  return settings;
}

Keys and_then(Keys keys, const std::string& key, const std::string& value) {
  keys.emplace_back(key, value);
  return keys;
}

void expect_refused(const Keys& keys, const std::string& what) {
  EXPECT_THAT(message_of<ConfigError>([&] { claims_of(with_claim(keys)); }), HasSubstr(what));
}

TEST(Claim, IsReadWithItsLengthsInNumbers) {
  const Claim claim =
      claims_of(with_claim(and_then(and_then(whole, "looks", "3"), "note", "few steps"))).front();
  EXPECT_EQ(claim.section.id, "C1");
  EXPECT_EQ(claim.looks, 3);
  EXPECT_EQ(value_of(claim.section, "note"), "few steps");
  EXPECT_EQ(claim.statement.sides[0].at, 8);
  EXPECT_EQ(claim.statement.sides[1].at, 4);
  EXPECT_EQ(claims_of(with_claim(whole)).front().looks, 1);
  EXPECT_THAT(claims_of(Settings()), IsEmpty());
}

TEST(Claim, NeedsWordsAStatementASourceAndADate) {
  EXPECT_THAT(message_of<ConfigError>([] { claims_of(with_claim({})); }),
              AllOf(HasSubstr("x.cfg:7: [claim C1] words: got nothing, expected a text\n"),
                    HasSubstr("statement: got nothing"), HasSubstr("source: got nothing"),
                    HasSubstr("registered: got nothing")));
  expect_refused(and_then(whole, "registered", "soon"), "[claim C1] registered: got 'soon', expected a date");
  for (const std::string text :
       {"2026-11-28, 9e6e898", "2026-11-2", "2026-11-2 ", "year-11-28", "2026-02-30", "2026-13-01",
        "2999-01-01", "2026-11-28 ", "2026-11-28 9e6e89", "2026-11-28 soon567"})
    expect_refused(and_then(whole, "registered", text), "expected a date");
  EXPECT_EQ(claims_of(with_claim(and_then(whole, "registered", "2026-11-28 9e6e898"))).size(), 1U);
  for (const std::string looks : {"1", "", "two"})
    expect_refused(and_then(whole, "looks", looks),
                   "looks: got '" + looks + "', expected a whole number of at least 2");
  expect_refused(and_then(whole, "statement", "bits(none)"),
                 "[claim C1] statement: got 'bits(none)', expected A > B");
}

TEST(Claim, ThatNoScoresCanDecideIsRefused) {
  const auto refuse = [](const std::string& statement, const std::string& message) {
    Settings settings = with_claim(and_then(whole, "statement", statement));
    settings.set("task.name", "latest(far=3)", "x.cfg:1");
    settings.set("task.train_length", "64", "x.cfg:1");
    EXPECT_THAT(message_of<ConfigError>([&] { claims_of(settings); }),
                "x.cfg:7: [claim C1] statement: " + message)
        << statement;
  };
  const std::string share = "expected a number that accuracy can be above: from 0 to less than 1";
  refuse("accuracy(none, 1x) >= 95", "got >= 95, " + share);
  refuse("accuracy(none, 1x) >= 1", "got >= 1, " + share);
  refuse("accuracy(none, 1x) >= -0.5", "got >= -0.5, " + share);
  refuse("bits.past(none, 1x) >= -1", "got >= -1, expected a number that bits.past can be above");
  refuse("accuracy(none, 1x) > accuracy(learned, 1x) + 5",
         "got a margin of 5, expected less than 1: accuracy is a share");
  refuse("accuracy(none, 1x) = accuracy(learned, 1x) within 1",
         "got a margin of 1, expected less than 1: accuracy is a share");
  refuse("accuracy.far(none, 1x) > accuracy.far(learned, 1x)",
         "got accuracy.far at 1x, expected a longer length: none of its targets is there");
  refuse("accuracy.far.4x(none, 2x) >= 0.5",
         "got accuracy.far.4x at 2x, expected a longer length: none of its targets is there");
  refuse("accuracy(none, 2x) > accuracy(none, 128)", "got the same score of none twice, expected two");
  refuse("accuracy(none, 2x) > bits.past(none, 2x)",
         "got accuracy and bits.past, expected two that can be compared");
}

TEST(Claim, ThatWasWithdrawnNeedsAReason) {
  Settings settings;
  settings.add_to_section("withdrawn", "W1", "words", "more", "x.cfg:7");
  EXPECT_THAT(message_of<ConfigError>([&] { claims_of(settings); }),
              "x.cfg:7: [withdrawn W1] reason: got nothing, expected a text");
  settings.add_to_section("withdrawn", "W1", "reason", "the floor", "x.cfg:8");
  settings.add_to_section("withdrawn", "W1", "then", "failed", "x.cfg:9");
  EXPECT_THAT(message_of<ConfigError>([&] { claims_of(settings); }),
              StartsWith("x.cfg:7: [withdrawn W1] then: got 'failed', expected"));
}

TEST(Claim, NamesWhatTheExperimentHas) {
  expect_refused(and_then(whole, "statement", "hits(none, 3x) > bits(rope, 9, window)"),
                 "x.cfg:7: [claim C1] statement: got metric 'hits', expected one of ");
  expect_refused(and_then(whole, "statement", "bits(none, 3x, log_n) > bits(rope, 9)"),
                 "got row 'rope', expected one of sinusoidal, learned, none");
  expect_refused(and_then(whole, "statement", "bits(none, 3x) >= 1"),
                 "got length '12', expected one of 4, 8, 16, 32");
  expect_refused(and_then(whole, "statement", "bits(none, 3x, window) >= 1"),
                 "got condition 'window', expected one of trained");
}

}  // namespace
}  // namespace ordinal::experiments

#include "experiments/claims/statement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "framework/core/errors.h"

namespace ordinal::experiments {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(Statement, ComparesSumsOfQuantities) {
  const Statement statement = parse_statement("bits.past(alibi, 8x) <= bits(alibi, 1x) + 0.02");
  ASSERT_EQ(statement.relations.size(), 1U);
  const Relation& relation = statement.relations[0];
  EXPECT_EQ(relation.kind, Relation::Kind::less);
  EXPECT_EQ(relation.left[0].quantity->metric, "bits.past");
  EXPECT_EQ(relation.left[0].quantity->row, "alibi");
  EXPECT_EQ(relation.left[0].quantity->length, "8x");
  EXPECT_EQ(relation.right.size(), 2U);
  EXPECT_EQ(relation.right[1].factor, 0.02);
  EXPECT_FALSE(relation.right[1].quantity.has_value());
}

TEST(Statement, HasFactorsSignsAndConditions) {
  const Relation relation =
      parse_statement("perplexity(a, 2x, window(size=8)) > 1.25 * perplexity(a, 1x) - 2e-3").relations[0];
  EXPECT_EQ(relation.kind, Relation::Kind::greater);
  EXPECT_EQ(relation.left[0].quantity->condition, "window(size=8)");
  EXPECT_EQ(relation.right[0].factor, 1.25);
  EXPECT_EQ(relation.right[1].factor, -0.002);
  const Relation numbers = parse_statement("-bits(a, 1x) ≤ -0.5 + 1e+2").relations[0];
  EXPECT_EQ(numbers.left[0].factor, -1.0);
  EXPECT_EQ(numbers.right[0].factor, -0.5);
  EXPECT_EQ(numbers.right[1].factor, 100.0);
}

TEST(Statement, ChainsAndClausesAreAllRequired) {
  const Statement statement =
      parse_statement("bits(a, 2x) < bits(b, 2x) < bits(c, 2x) and fails(d, 2x) and learned(a) >= 0.5");
  EXPECT_EQ(statement.relations.size(), 3U);
  EXPECT_EQ(statement.relations[1].left[0].quantity->row, "b");
  EXPECT_EQ(statement.relations[1].right[0].quantity->row, "c");
  EXPECT_EQ(statement.relations[2].left[0].quantity->metric, "learned");
  ASSERT_EQ(statement.failures.size(), 1U);
  EXPECT_EQ(statement.failures[0].row, "d");
  EXPECT_EQ(parse_statement("gradient_norm(a) < 2").relations[0].left[0].quantity->length, "");
}

TEST(Statement, MayBeAboutMostSeeds) {
  const Statement statement =
      parse_statement("exact(a, 2x) >= 0.9 in most seeds and exact(a, 1x) < exact(b, 1x)");
  ASSERT_EQ(statement.relations.size(), 2U);
  EXPECT_TRUE(statement.relations[0].in_most_seeds);
  EXPECT_TRUE(statement.relations[0].or_equal);
  EXPECT_FALSE(statement.relations[1].in_most_seeds);
  EXPECT_FALSE(statement.relations[1].or_equal);
  const Statement chain = parse_statement("bits(a, 1x) > 3 and bits(a, 1x) < bits(b, 1x) ≤ 2 in most seeds");
  ASSERT_EQ(chain.relations.size(), 3U);
  EXPECT_FALSE(chain.relations[0].in_most_seeds);
  EXPECT_TRUE(chain.relations[1].in_most_seeds);
  EXPECT_FALSE(chain.relations[1].or_equal);
  EXPECT_TRUE(chain.relations[2].in_most_seeds);
  EXPECT_TRUE(chain.relations[2].or_equal);
}

TEST(Statement, RowsMayHaveBracketsAndQuotes) {
  const auto all = quantities_of(parse_statement(
      "bits(rope(base=500, pairing=half)@yarn, 64) = bits(\"rope, d_model = 64\", unseen) within 0.05"));
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].row, "rope(base=500, pairing=half)@yarn");
  EXPECT_EQ(all[1].row, "rope, d_model = 64");
  EXPECT_EQ(all[1].length, "unseen");
}

TEST(Statement, AMistakeIsShownWithItsColumn) {
  const auto parsing = [](const std::string& text) { return [=] { parse_statement(text); }; };
  const auto says = [](const std::string& what) { return ThrowsMessage<ConfigError>(HasSubstr(what)); };
  EXPECT_THAT(parsing("bits(a, 1x)"), says("expected <, <=, >, >= or = in column 12"));
  EXPECT_THAT(parsing("bits(a, 1x) < "), says("expected a number or metric(row, length) in column 15"));
  EXPECT_THAT(parsing("bits(a) < 2"), says("expected ',' in column 7"));
  EXPECT_THAT(parsing("bits(a, 1x < 2"), says("expected ')' in column 15"));
  EXPECT_THAT(parsing("bits(a, 1x) = 2"), says("expected 'within' and a margin in column 16"));
  EXPECT_THAT(parsing("bits(a, 1x) = 2 within 0"), says("expected a margin above 0"));
  EXPECT_THAT(parsing("bits(a, 1x) < 2 in many seeds"), says("expected 'most' in column 20"));
  EXPECT_THAT(parsing("bits(a, 1x) < 2 in most seeds < 3"), says("in column 31, at '<'"));
  EXPECT_THAT(parsing("bits(a, 1x) < 2 or 3"),
              says("expected the end, 'and', an operator or a comparison in column 17"));
  EXPECT_THAT(parsing(""), says("in column 1, at the end"));
  EXPECT_THAT(parsing("bits(a, 1x) ≤ ≤ 2"), says("in column 15, at '≤'"));
  EXPECT_THAT(parsing("bits(a,\n"), says("got 'bits(a,\\x0a'"));
}

}  // namespace
}  // namespace ordinal::experiments

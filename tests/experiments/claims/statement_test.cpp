#include "experiments/claims/statement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "framework/core/errors.h"

namespace ordinal::experiments {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;
using Form = Statement::Form;

TEST(Statement, SaysThatOneQuantityIsAboveAnother) {
  const Statement statement =
      parse_statement("accuracy.near(alibi, 2x) > exact(rope(base=500)@yarn,64 , window(size=8))");
  EXPECT_EQ(statement.form, Form::above);
  EXPECT_EQ(statement.number, 0.0);
  EXPECT_EQ(statement.left.metric, "accuracy.near");
  EXPECT_EQ(statement.left.row, "alibi");
  EXPECT_EQ(statement.left.length, "2x");
  EXPECT_EQ(statement.left.condition, trained_condition);
  ASSERT_TRUE(statement.right.has_value());
  EXPECT_EQ(statement.right->row, "rope(base=500)@yarn");
  EXPECT_EQ(statement.right->length, "64");
  EXPECT_EQ(statement.right->condition, "window(size=8)");
  EXPECT_EQ(statement.right->column, 28);
}

TEST(Statement, MayHaveAMargin) {
  const Statement statement = parse_statement("bits(\"rope, d_model = 64\", 1.5x) > bits(none, 1x) + 0.05");
  EXPECT_EQ(statement.form, Form::above);
  EXPECT_EQ(statement.left.row, "rope, d_model = 64");
  EXPECT_EQ(statement.number, 0.05);
}

TEST(Statement, SaysThatTwoQuantitiesAreEqualWithinAMargin) {
  const Statement statement = parse_statement("bits(a, 1x) = bits(b, 1x) within 5e-2");
  EXPECT_EQ(statement.form, Form::within);
  EXPECT_EQ(statement.number, 0.05);
}

TEST(Statement, SaysThatAQuantityReachesANumber) {
  const Statement statement = parse_statement("exact(a, 2x) >= 0.9");
  EXPECT_EQ(statement.form, Form::at_least);
  EXPECT_EQ(statement.number, 0.9);
  EXPECT_FALSE(statement.right.has_value());
}

TEST(Statement, OfAnyOtherFormIsRefusedWithItsColumnAndTheFourForms) {
  const auto refused = [](const std::string& text, const std::string& what) {
    EXPECT_THAT([&] { parse_statement(text); },
                ThrowsMessage<ConfigError>(AllOf(
                    HasSubstr(what), HasSubstr("A > B, A > B + margin, A = B within margin or A >= number"))))
        << text;
  };
  refused("", "column 1: got the end, expected a metric;");
  refused("bits(a, 1x)", "column 12: got the end, expected '>', '=' or '>='");
  refused("bits(a, 1x) < bits(b, 1x)", "column 13: got '<'");
  refused("bits(a, 1x) ≤ 2", "column 13: got '≤'");
  refused("bits(a, 1x) > 2", "column 16: got the end, expected '(' behind a metric");
  refused("bits(a, 1x) > ", "column 15: got the end, expected a metric");
  refused("bits(a) > bits(b, 1x)", "column 7: got ')', expected ',' and a length");
  refused("bits(a, 1x > bits(b, 1x)", "column 9: got '1x'");
  refused("bits(a, unseen) > bits(b, 1x)", "column 9: got 'unseen)', expected a length such as 128 or 2x");
  refused("bits(\"a, 1x) > bits(b, 1x)", "expected a closing quote");
  refused("bits(, 1x) > bits(b, 1x)", "column 6: got ',', expected a row");
  refused("1.25 * bits(a, 1x) > bits(b, 1x)", "column 6: got '*', expected '(' behind a metric");
  refused("bits(a, 1x) > 1.25 * bits(b, 1x)", "column 20: got '*'");
  refused("bits(a, 1x) + 1 > bits(b, 1x)", "column 13: got '+'");
  refused("bits(a, 1x) > bits(b, 1x) - 0.1", "column 27: got '-', expected the end");
  refused("bits(a, 1x) > bits(b, 1x) + bits(c, 1x)", "column 29: got 'bits(c,', expected a margin above 0");
  refused("bits(a, 1x) > bits(b, 1x) + 0", "expected a margin above 0");
  refused("bits(a, 1x) > bits(b, 1x) + 0.1 > bits(c, 1x)", "column 33: got '>', expected the end");
  refused("bits(a, 1x) > bits(b, 1x) and bits(a, 1x) > bits(c, 1x)",
          "column 27: got 'and', expected the end");
  refused("bits(a, 1x) = bits(b, 1x)", "column 26: got the end, expected 'within'");
  refused("bits(a, 1x) = 2 within 0.1", "column 17: got 'within', expected '('");
  refused("bits(a, 1x) >= bits(b, 1x)", "column 16: got 'bits(b,', expected a number");
  refused("exact(a, 2x) >= 0.9 in most seeds", "column 21: got 'in', expected the end");
  refused("fails(a, 2x)", "column 13: got the end");
  refused("learned(a) >= 0.5", "column 10: got ')'");
  refused("bits(a, 1x) > bits\n", "column 19: got '\\x0a'");
}

}  // namespace
}  // namespace ordinal::experiments

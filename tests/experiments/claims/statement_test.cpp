#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/claims/claim.h"
#include "framework/core/errors.h"
#include "tests/message_of.h"

namespace ordinal::experiments {
namespace {

using ::testing::HasSubstr;
using Form = Statement::Form;

TEST(Statement, SaysThatOneQuantityIsAboveAnother) {
  const Statement statement =
      parse_statement("accuracy.near(alibi, 2x) > exact(rope(base=500)@yarn,64 , window(size=8))");
  EXPECT_EQ(statement.form, Form::above);
  EXPECT_EQ(statement.number, 0.0);
  ASSERT_EQ(statement.sides.size(), 2U);
  EXPECT_EQ(statement.sides[0].metric.id, "accuracy.near");
  EXPECT_EQ(statement.sides[0].row, "alibi");
  EXPECT_EQ(statement.sides[0].length, "2x");
  EXPECT_EQ(statement.sides[0].condition, trained_condition);
  EXPECT_EQ(statement.sides[1].row, "rope(base=500)@yarn");
  EXPECT_EQ(statement.sides[1].length, "64");
  EXPECT_EQ(statement.sides[1].condition, "window(size=8)");
}

TEST(Statement, MayHaveAMargin) {
  const Statement statement = parse_statement("bits(\"rope, d_model = 64\", 1.5x) > bits(none, 1x) + 0.05");
  EXPECT_EQ(statement.form, Form::above);
  EXPECT_EQ(statement.sides[0].row, "rope, d_model = 64");
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
  EXPECT_EQ(statement.sides.size(), 1U);
}

void expect_refused(const std::string& text, const std::string& what) {
  EXPECT_THAT(message_of<ConfigError>([&] { parse_statement(text); }), HasSubstr(what)) << text;
}

TEST(Statement, OfAnyOtherFormIsRefusedWithTheFourForms) {
  for (const std::string text :
       {"", "bits(a, 1x)", "bits(a, 1x) < bits(b, 1x)", "bits(a, 1x) ≤ 2", "bits(a, 1x > bits(b, 1x)",
        "1.25 * bits(a, 1x) > bits(b, 1x)", "bits(a, 1x) > 1.25 * bits(b, 1x)",
        "bits(a, 1x) + 1 > bits(b, 1x)", "bits(a, 1x) > bits(b, 1x) - 0.1",
        "bits(a, 1x) > bits(b, 1x) + 0.1 > bits(c, 1x)",
        "bits(a, 1x) > bits(b, 1x) and bits(a, 1x) > bits(c, 1x)", "bits(a, 1x) = bits(b, 1x)",
        "exact(a, 2x) >= 0.9 in most seeds", "fails(a, 2x)"})
    expect_refused(text,
                   "got '" + text +
                       "', expected A > B, A > B + margin, A = B within margin or A >= number, where A and B "
                       "are metric(row, length) or metric(row, length, condition)");
}

TEST(Statement, IsRefusedWithTheQuantityOrNumberThatIsWrong) {
  const std::string quantity = "expected metric(row, length) or metric(row, length, condition)";
  const std::string length = "expected a row, and a length such as 128 or 2x";
  expect_refused("bits(a, 1x) > 2", "got '2', " + quantity);
  expect_refused("bits(a, 1x) > (a, 1x)", "got '(a, 1x)', " + quantity);
  expect_refused("bits(a, 1x) = 2 within 0.1", "got '2', " + quantity);
  expect_refused("bits(a, 1x) > bits\n", "got 'bits', " + quantity);
  expect_refused("bits(a) > bits(b, 1x)", "got 'bits(a)', " + length);
  expect_refused("bits(a, unseen) > bits(b, 1x)", "got 'bits(a, unseen)', " + length);
  expect_refused("bits(, 1x) > bits(b, 1x)", "got 'bits(, 1x)', " + length);
  expect_refused("bits(\"\", 1x) > bits(b, 1x)", "got 'bits(\"\", 1x)', " + length);
  expect_refused("bits() >= 1", "got 'bits()', " + length);
  expect_refused("bits(a, 1x) > bits(b, 1x) + bits(c, 1x)", "got 'bits(c, 1x)', expected a margin above 0");
  expect_refused("bits(a, 1x) > bits(b, 1x) + 0", "got '0', expected a margin above 0");
  expect_refused("bits(a, 1x) >= bits(b, 1x)", "got 'bits(b, 1x)', expected a number");
}

}  // namespace
}  // namespace ordinal::experiments

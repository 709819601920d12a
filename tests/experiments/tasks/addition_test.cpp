// Addition.
#include <gtest/gtest.h>

#include "tests/experiments/tasks/pair.h"

namespace ordinal::experiments {
namespace {

TEST(Addition, AnswersWithTheSum) {
  for (const std::string reversed : {"none", "answer", "all"}) {
    for_examples("addition(reversed=" + reversed + ")",
                 [&](const std::string& prompt, const std::string& answer) {
                   const std::size_t plus = prompt.find('+');
                   std::string a = prompt.substr(0, plus);
                   std::string b = prompt.substr(plus + 1);
                   std::string sum = answer.substr(0, answer.size() - 1);
                   ASSERT_EQ(a.size(), b.size());
                   ASSERT_EQ(sum.size(), a.size() + 1);
                   if (reversed != "none") sum = backwards(sum);
                   if (reversed == "all") {
                     a = backwards(a);
                     b = backwards(b);
                   }
                   EXPECT_EQ(number(sum, 10), number(a, 10) + number(b, 10));
                   EXPECT_TRUE(a.size() == 1 || (a[0] != '0' && b[0] != '0'));
                 });
  }
}

}  // namespace
}  // namespace ordinal::experiments

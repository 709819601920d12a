#include "experiments/results/csv.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "framework/core/errors.h"
#include "tests/message_of.h"

namespace ordinal::experiments {
namespace {

using ::testing::ElementsAre;

TEST(Csv, IsReadAsItWasWritten) {
  const std::vector<std::string> texts = {"a, \"b\"\n", "=1+1", "'quoted'", "", "-0.5", "a\rb"};
  std::vector<std::string> fields;
  for (const std::string& one : texts) fields.push_back(csv(one));
  const CsvFile file = parse_csv("1,2,3,4,5,6\n" + csv_line(fields), "x.csv");
  EXPECT_THAT(file.lines, ElementsAre(texts));
}

TEST(Csv, MayHaveCommentsAByteOrderMarkAndCrlf) {
  const CsvFile file = parse_csv("\xEF\xBB\xBF# one = 1\r\n# two\r\na,b\r\n1,\"x\r\ny\"\r\n", "x.csv");
  EXPECT_THAT(file.comments, ElementsAre("one = 1", "two"));
  EXPECT_THAT(file.lines, ElementsAre(ElementsAre("1", "x\r\ny")));
  EXPECT_EQ(file.place(0), "x.csv:4");
}

TEST(Csv, ThatWasDamagedIsRefused) {
  const auto reading = [](const std::string& text) { return [=] { parse_csv(text, "x.csv"); }; };
  EXPECT_THAT(message_of<DataError>(reading("a,b\n1,2\n3\n")), "x.csv:3: got 1 fields, expected 2");
  for (const std::string text : {"", "# a\n", "# a", "a,b\n1,2", "a,b\n1,", "a,b\n1,\"2\n"})
    EXPECT_THAT(message_of<DataError>(reading(text)), "x.csv: it was cut off: its last line has no end");
}

}  // namespace
}  // namespace ordinal::experiments

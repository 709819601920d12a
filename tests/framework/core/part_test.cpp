// How a part and its options are written.
#include "framework/core/part.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "framework/core/errors.h"
#include "tests/message_of.h"

namespace ordinal {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

TEST(ParsePart, ANameAloneHasNoOptions) {
  for (const char* text : {"rope", "  rope ", "rope()", "rope( )", "rope ()"}) {
    const Part part = parse_part(text);
    EXPECT_EQ(part.name, "rope") << text;
    EXPECT_THAT(part.options, IsEmpty()) << text;
  }
}

TEST(ParsePart, OptionsAreNamesAndTextsWithoutTheSpaceAroundThem) {
  const Part part = parse_part(" rope ( base = 500 ,\n pairing=half )");
  EXPECT_EQ(part.name, "rope");
  EXPECT_THAT(part.options, ElementsAre(Pair("base", "500"), Pair("pairing", "half")));
}

TEST(ParsePart, AValueMayBeAPartWithOptionsOfItsOwn) {
  const Part part = parse_part("a(b=c, d=e(f=g, h=i(j=k)), l=m)");
  EXPECT_THAT(part.options, ElementsAre(Pair("b", "c"), Pair("d", "e(f=g, h=i(j=k))"), Pair("l", "m")));
  EXPECT_THAT(parse_part(part.options.at("d")).options, ElementsAre(Pair("f", "g"), Pair("h", "i(j=k)")));
}

TEST(ParsePart, AValueMayHoldAnEqualsSign) {
  EXPECT_THAT(parse_part("a(b=c=d)").options, ElementsAre(Pair("b", "c=d")));
}

TEST(ParsePart, IsUndoneByToString) {
  for (const char* text : {"rope", "rope(base=500, pairing=half)", "a(d=e(f=g, h=i))"}) {
    EXPECT_EQ(to_string(parse_part(text)), text);
  }
  EXPECT_EQ(to_string(parse_part("rope(pairing=half, base=500)")), "rope(base=500, pairing=half)");
}

TEST(ParsePart, ItsMessageIsOneLineForAnyText) {
  EXPECT_THAT(message_of<ConfigError>([] { parse_part("a\nb\x1b"); }),
              HasSubstr("got 'a\\x0ab\\x1b', where 'a\\x0ab\\x1b' is no name"));
}

struct Case {
  const char* text;
  const char* problem;
};

class WrongPart : public ::testing::TestWithParam<Case> {};

TEST_P(WrongPart, IsReportedWithWhatWasGot) {
  EXPECT_THAT(message_of<ConfigError>([] { parse_part(GetParam().text); }), HasSubstr(GetParam().problem));
  EXPECT_THAT(message_of<ConfigError>([] { parse_part(GetParam().text); }), HasSubstr("name(option=value)"));
}

INSTANTIATE_TEST_SUITE_P(All, WrongPart,
                         ::testing::Values(Case{"", "got '', which names nothing"},
                                           Case{"  ", "which names nothing"},
                                           Case{"(base=500)", "which names nothing"},
                                           Case{"rope(base=500", "where a bracket is not closed"},
                                           Case{"rope(base=500(", "where a bracket is not closed"},
                                           Case{"rope(base=f(x)", "where a bracket is not closed"},
                                           Case{"rope(base=500))", "with ')' after the options"},
                                           Case{"rope(base=500) half", "with ' half' after the options"},
                                           Case{"rope(base=500)(a=b)", "with '(a=b)' after the options"},
                                           Case{"rope(base)", "where 'base' sets no option"},
                                           Case{"rope(=500)", "where '=500' sets no option"},
                                           Case{"rope(base=)", "where 'base=' sets no option"},
                                           Case{"rope(base=500,)", "where '' sets no option"},
                                           Case{"rope(base=1, base=2)", "where base is set twice"},
                                           Case{"rope)", "where 'rope)' is no name"},
                                           Case{"rope=500", "where 'rope=500' is no name"},
                                           Case{"rope, alibi", "where 'rope, alibi' is no name"},
                                           Case{"rope base", "where 'rope base' is no name"}));

TEST(SplitOutsideBrackets, LeavesWhatIsInsideBracketsWhole) {
  EXPECT_THAT(split_outside_brackets(" a(b=c, d=e) , f,g(h=(i,j)) ", ','),
              ElementsAre("a(b=c, d=e)", "f", "g(h=(i,j))"));
  EXPECT_THAT(split_outside_brackets("a(b=1+2)+c", '+'), ElementsAre("a(b=1+2)", "c"));
}

TEST(SplitOutsideBrackets, KeepsEmptyPieces) {
  EXPECT_THAT(split_outside_brackets("", ','), ElementsAre(""));
  EXPECT_THAT(split_outside_brackets("a,, b,", ','), ElementsAre("a", "", "b", ""));
}

TEST(Trimmed, TakesSpaceOffBothEndsOnly) {
  EXPECT_EQ(trimmed(" \t a b\r\n"), "a b");
  EXPECT_EQ(trimmed(" \n"), "");
  EXPECT_EQ(trimmed(""), "");
}

std::string shown(const PartList& list) {
  std::string text;
  for (const auto& [part, before] : list.items())
    text += (before == '\0' ? std::string() : std::string(1, before)) + "<" + to_string(part) + ">";
  return text;
}

TEST(PartList, IsCutOutsideBracketsAlone) {
  EXPECT_EQ(shown("rope"), "<rope>");
  EXPECT_EQ(shown("shaw + rope(base=500)"), "<shaw>+<rope(base=500)>");
  EXPECT_EQ(shown("conv, attention(encoding=rope+t5, window=3)"),
            "<conv>,<attention(encoding=rope+t5, window=3)>");
  EXPECT_EQ(shown("rope@contiguous:yarn"), "<rope>@<contiguous>:<yarn>");
}

TEST(PartList, KeepsItsTextAndGivesOneForItems) {
  const PartList written = "a,b( x=1 )";
  EXPECT_EQ(written.text(), "a,b( x=1 )");
  EXPECT_EQ(PartList(written.items()).text(), "a, b(x=1)");
  EXPECT_TRUE(written == PartList("a,b( x=1 )"));
  EXPECT_FALSE(written == PartList("a, b(x=1)"));
}

TEST(PartList, RefusesOtherSeparatorsAndOtherNumbersOfParts) {
  EXPECT_EQ(PartList("a+b").joined_by('+').size(), 2U);
  EXPECT_THAT(message_of<ConfigError>([] { PartList("a+b,c").joined_by('+'); }),
              HasSubstr("got 'a+b,c', where ',' stands before c, expected parts joined by '+'"));
  EXPECT_EQ(PartList("a(b=1)").only().name, "a");
  EXPECT_THAT(message_of<ConfigError>([] { PartList("a+b").only(); }),
              HasSubstr("got 'a+b', expected one name"));
  for (const char* text : {"a+", "+a", "a,,b", "a@"})
    EXPECT_THAT(message_of<ConfigError>([&] { PartList{text}; }),
                HasSubstr("where a name is missing beside '"));
  EXPECT_THAT(message_of<ConfigError>([] { PartList{""}; }), HasSubstr("which names nothing"));
}

}  // namespace
}  // namespace ordinal

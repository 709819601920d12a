#include "experiments/report/svg.h"

#include <gtest/gtest.h>

namespace ordinal::experiments {
namespace {

TEST(EmbedSvg, DropsThePrologAndKeepsIdsApart) {
  const std::string svg =
      "<?xml version=\"1.0\"?>\n<svg><g id=\"a\"/><path id='b' clip-path='url(#a)'/><use "
      "xlink:href='#b'/></svg>";
  EXPECT_EQ(embed_svg(svg, "p-"),
            "<svg><g id=\"p-a\"/><path id='p-b' clip-path='url(#p-a)'/><use xlink:href='#p-b'/></svg>");
  EXPECT_EQ(embed_svg("not a picture", "p-"), "");
}

TEST(EmbedSvg, DropsSymbolsThatNothingUses) {
  const std::string svg =
      "<svg><defs><path id='a' d='M0,0'/><use xlink:href='#a' id='b'/><use xlink:href='#a' id='c'/>"
      "<filter id='d'><feFlood/></filter></defs><use xlink:href='#c'/></svg>";
  EXPECT_EQ(
      embed_svg(svg, ""),
      "<svg><defs><path id='a' d='M0,0'/><use xlink:href='#a' id='c'/></defs><use xlink:href='#c'/></svg>");
}

TEST(EmbedSvg, LeavesOneDigitBehindThePointOfCoordinatesOnly) {
  EXPECT_EQ(embed_svg("<svg><path d='M1.25,2.00 L-3.875,40'/><text>1.25</text></svg>", ""),
            "<svg><path d='M1.2,2.0 L-3.8,40'/><text>1.25</text></svg>");
}

TEST(EmbedSvg, DropsGroupsWithoutContent) {
  EXPECT_EQ(
      embed_svg("<svg>\n<g a=\"1\">\n\t<g b=\"2\">\n</g>\n</g>\n<g c=\"3\">\n<path/>\n</g>\n</svg>", ""),
      "<svg>\n<g c=\"3\">\n<path/>\n</g>\n</svg>");
}

TEST(EmbedSvg, JoinsTheStepsOfAPaletteThatHaveOneColour) {
  EXPECT_EQ(embed_svg("<svg><polygon fill='red' points='0,9 2,9 2,6 0,6 '/>\n"
                      "<polygon fill='red' points='0,6 2,6 2,3 0,3 '/>\n"
                      "<polygon fill='blue' points='0,3 2,3 2,0 0,0 '/>\n</svg>",
                      ""),
            "<svg><polygon fill='red' points='0,9 2,9 2,3 0,3 '/>\n"
            "<polygon fill='blue' points='0,3 2,3 2,0 0,0 '/>\n</svg>");
}

TEST(EmbedSvg, LeavesBarsOfOneColourApart) {
  const std::string bars =
      "<svg><polygon fill='red' points='0,9 2,9 2,6 0,6 '/>\n<polygon fill='red' points='0,5 2,5 2,3 0,3 "
      "'/>\n"
      "<polygon fill='red' points='0,3 4,3 4,0 0,0 '/>\n</svg>";
  EXPECT_EQ(embed_svg(bars, ""), bars);
}

}  // namespace
}  // namespace ordinal::experiments

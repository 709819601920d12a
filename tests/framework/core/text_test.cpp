#include "framework/core/text.h"

#include <gtest/gtest.h>

namespace ordinal {
namespace {

TEST(Printable, ShowsControlCharactersAndKeepsTheRest) {
  EXPECT_EQ(printable("a\x1b[31mb\n\t\x7f"), "a\\x1b[31mb\\x0a\\x09\\x7f");
  EXPECT_EQ(printable("x\xC2\x9B"
                      "2J"),
            "x\\xc2\\x9b2J")
      << "U+009B begins a sequence, too";
  EXPECT_EQ(printable("für 5 ± 1 \xC2\xA0 \xC2"), "für 5 ± 1 \xC2\xA0 \xC2");
  EXPECT_EQ(printable(std::string_view("\0", 1)), "\\x00");
}

TEST(Printable, LinesKeepTheirBreaksAndTabs) {
  EXPECT_EQ(printable_lines("a\tb\r\n\x1b[2J\n"), "a\tb\\x0d\n\\x1b[2J\n");
}

}  // namespace
}  // namespace ordinal

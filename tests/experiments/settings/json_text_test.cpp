#include "experiments/settings/json_text.h"

#include <gtest/gtest.h>

namespace ordinal::experiments {
namespace {

TEST(JsonText, IsUtf8) {
  for (const char* text : {"", "plain", "größer", "\xE2\x82\xAC", "\xF0\x9F\x98\x80", "\n\t\x1b\""}) {
    EXPECT_TRUE(json_can_hold(text)) << text;
  }
  for (const char* text :
       {"\xFF", "a\xFE", "\xC3", "\xC3(", "\xE2\x82", "\xED\xA0\x80", "\xC0\xAF", "gr\xF6\xDF"}) {
    EXPECT_FALSE(json_can_hold(text)) << text;
  }
}

}  // namespace
}  // namespace ordinal::experiments

#include "framework/storage/json_depth.h"

#include <gtest/gtest.h>

#include <string>

namespace ordinal {
namespace {

std::string nested(std::size_t levels) { return std::string(levels, '[') + std::string(levels, ']'); }

TEST(JsonDepth, CountsBracketsOutsideOfStrings) {
  EXPECT_FALSE(is_nested_too_deep(nested(100)));
  EXPECT_TRUE(is_nested_too_deep(nested(101)));
  EXPECT_TRUE(is_nested_too_deep("{\"a\":" + nested(100)));
  EXPECT_FALSE(is_nested_too_deep(nested(100) + nested(100)));
  EXPECT_FALSE(is_nested_too_deep("\"" + nested(200) + "\\\"" + nested(200) + "\""));
  EXPECT_FALSE(is_nested_too_deep(""));
}

}  // namespace
}  // namespace ordinal

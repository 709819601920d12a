// The exceptions of the framework.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "framework/core/errors.h"

namespace ordinal {
namespace {

// what() would end at a NUL.
TEST(Errors, HideNothingBehindAControlCharacter) {
  const std::string text("a\0b\x1b", 4);
  EXPECT_STREQ(ConfigError(text).what(), "a\\x00b\\x1b");
  EXPECT_STREQ(DataError(text).what(), "a\\x00b\\x1b");
  EXPECT_STREQ(CheckpointError(text).what(), "a\\x00b\\x1b");
  EXPECT_STREQ(PositionError(text).what(), "a\\x00b\\x1b");
}

}  // namespace
}  // namespace ordinal

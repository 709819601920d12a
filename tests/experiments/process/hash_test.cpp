#include "experiments/process/hash.h"

#include <gtest/gtest.h>

#include <span>
#include <string_view>

namespace ordinal::experiments {
namespace {

std::string hash_of(std::string_view text) { return fnv1a64_hex(std::as_bytes(std::span(text))); }

// Test vectors of the authors (Fowler, Noll and Vo).
TEST(Fnv1a64, AgreesWithPublishedVectors) {
  EXPECT_EQ(hash_of(""), "cbf29ce484222325");
  EXPECT_EQ(hash_of("a"), "af63dc4c8601ec8c");
  EXPECT_EQ(hash_of("foobar"), "85944171f73967e8");
}

TEST(Fnv1a64, PiecesHashLikeTheWhole) {
  Fnv1a64 hash;
  hash.update(std::as_bytes(std::span("foo", 3)));
  hash.update({});
  hash.update(std::as_bytes(std::span("bar", 3)));
  EXPECT_EQ(hash.hex(), hash_of("foobar"));
  EXPECT_EQ(hash.value(), 0x85944171f73967e8ULL);
}

TEST(Fnv1a64, HexKeepsLeadingZeros) { EXPECT_EQ(hash_of("10"), "07f89207b4ba08a4"); }

}  // namespace
}  // namespace ordinal::experiments

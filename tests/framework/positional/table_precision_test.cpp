// Tables of sines and cosines in 16 bits: the remaining shift invariance, and its mention in --list.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/framework/largest_difference.h"
#include "tests/models/model_rig.h"

namespace ordinal {
namespace {

// The largest change of a logit when all positions move by 37.
double change_by_an_offset(const std::string& encoding) {
  ModelConfig config;
  config.vocab_size = 7;
  config.d_model = 16;
  config.layers = 1;
  config.heads = 2;
  config.n_kv_heads = 2;
  config.train_length = 16;
  config.encoding = encoding;
  const testing::ModelRig<> rig(config);
  const std::vector<Token> tokens = {0, 3, 1, 6, 2, 2, 5, 4};
  const auto logits = [&](double offset) {
    return rig.logits(tokens, {.positions = Positions::contiguous(1, 8, offset)});
  };
  return testing::largest_difference(logits(0.0), logits(37.0));
}

TEST(TablePrecision, In16BitsAnOffsetChangesAsMuchAsTheRounding) {
  for (const std::string name : {"rope", "xpos", "transformer_xl"}) {
    EXPECT_LT(change_by_an_offset(name), 1e-10) << name;
    const double half = change_by_an_offset(name + "(precision=half)");
    EXPECT_GT(half, 1e-10) << name;
    EXPECT_LT(half, 1e-2) << name;
    EXPECT_LT(change_by_an_offset(name + "(precision=bfloat16)"), 1e-1) << name;
  }
}

TEST(TablePrecision, LimitsTheClaimOfEveryEncodingThatHasIt) {
  for (const EncodingEntry& entry : encodings().entries()) {
    const bool rounds =
        std::ranges::find(entry.options, "precision", &OptionSpec::name) != entry.options.end();
    EXPECT_EQ(entry.shift_limit.empty(), !(entry.shift_invariant && rounds)) << entry.name;
  }
}

}  // namespace
}  // namespace ordinal

// Tables of sines and cosines in 16 bits: the remaining shift invariance, and its mention in --list.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "models/transformer.h"

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
  const Transformer<double> model(config);
  Parameters<double> values(model.layout());
  initialize(values, 1);
  for (double& value : values.flat()) value *= 4.0;
  const std::vector<Token> tokens = {0, 3, 1, 6, 2, 2, 5, 4};
  Pass<double> pass(values);
  const auto logits = [&](double offset) {
    pass.begin({.positions = Positions::contiguous(1, 8, offset)});
    const View<const double> z = model.logits(model.hidden(tokens, pass), pass);
    return std::vector<double>(z.data, z.data + z.size());
  };
  const std::vector<double> here = logits(0.0);
  const std::vector<double> there = logits(37.0);
  double largest = 0.0;
  for (std::size_t i = 0; i < here.size(); ++i) largest = std::max(largest, std::abs(here[i] - there[i]));
  return largest;
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

// Selective RoPE: angles that are carried from run to run. Gradients and the cache are in
// tests/models/every_model_test.cpp, whole models against PyTorch in tests/experiments/training/parity_test.cpp.
#include <gtest/gtest.h>

#include <algorithm>

#include "framework/core/decode_cache.h"
#include "tests/framework/positional/rig.h"

namespace ordinal {
namespace {

// A float rounds an angle by up to 1.2e-7. Rounded at each of 2,000 tokens, it would be off by several times as much.
TEST(SelectiveRope, TrapDecodingTokenByTokenKeepsTheAnglesOfOneRunInFloat) {
  constexpr Index length = 2000;
  testing::Rig<float> rig("selective_rope", {.d_model = 8, .heads = 1, .n_kv_heads = 1, .layers = 1});
  rig.randomize(1);
  const View<float> weight = rig.value("selective_rope.0.weight");
  std::fill_n(weight.data, weight.size(), 0.0F);  // so that steps do not depend on the rounding of products
  const Tensor<float> x = testing::normal_tensor<float>({length, 8});
  const auto turned = [&](Index first, Index count, DecodeCache<float>* cache) {
    rig.run({.positions = Positions::contiguous(1, count, static_cast<double>(first)), .cache = cache});
    rig->encode_layer(x.view().row_range(first, count), 0, rig.pass());
    Tensor<float> query = testing::ones<float>({count, 8});
    Tensor<float> key = query;
    rig.query_key(query, key);
    rig.pass().finish();
    return query;
  };
  const Tensor<float> whole = turned(0, length, nullptr);
  DecodeCache<float> cache(rig.layout(), 1, length);
  for (Index t = 0; t < length; ++t) {
    const Tensor<float> one = turned(t, 1, &cache);
    for (Index c = 0; c < 8; ++c) ASSERT_NEAR(one(0, c), whole(t, c), 3e-7) << "token " << t;
  }
}

}  // namespace
}  // namespace ordinal

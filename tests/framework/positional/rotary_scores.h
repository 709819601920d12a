// Scores of the rotary encodings for one query and one key, for their tests.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "framework/math/vector_math.h"
#include "framework/positional/rotary.h"
#include "tests/framework/positional/rig.h"

namespace ordinal::rotary_test {

inline constexpr Index heads = 2;
inline constexpr Index d_head = 8;
inline constexpr Index width = heads * d_head;

inline const ModelShape shape{.d_model = width, .heads = heads, .n_kv_heads = heads};

// q at position i and k at position j after the hook, and their product in each head.
template <typename T>
std::vector<double> scores(const std::string& encoding, double i, double j, const Stretch& stretch = {}) {
  Tensor<T> q = testing::normal_tensor<T>({2, width}, 1);
  Tensor<T> k = testing::normal_tensor<T>({2, width}, 2);
  testing::Rig<T>(encoding, shape)
      .at(Positions::shared(1, {i, j}).stretched(std::make_shared<const Stretch>(stretch)))
      .query_key(q, k);
  std::vector<double> products;
  for (Index c = 0; c < width; c += d_head)
    products.push_back(static_cast<double>(vmath::dot(q.view().row(0) + c, k.view().row(1) + c, d_head)));
  return products;
}

}  // namespace ordinal::rotary_test

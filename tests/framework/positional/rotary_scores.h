// Scores of the rotary encodings for one query and one key, for their tests.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "framework/math/vector_math.h"
#include "tests/framework/positional/rig.h"

namespace ordinal::rotary_test {

inline constexpr Index heads = 2;
inline constexpr Index d_head = 8;
inline constexpr Index width = heads * d_head;

inline const ModelShape shape{.d_model = width, .heads = heads, .n_kv_heads = heads};

// q at position i and k at position j after the hook, and their product in each head.
template <typename T>
std::vector<double> scores(const std::string& encoding, double i, double j, const Stretch& stretch = {}) {
  Tensor<T> q({2, width});
  Tensor<T> k({2, width});
  Random random({.seed = 1});
  for (Index c = 0; c < width; ++c) {
    q(0, c) = static_cast<T>(random.normal());
    k(1, c) = static_cast<T>(random.normal());
  }
  testing::Rig<T>(encoding, shape).at(Positions::shared(1, {i, j}).stretched(stretch)).query_key(q, k);
  std::vector<double> products;
  for (Index c = 0; c < width; c += d_head)
    products.push_back(static_cast<double>(vmath::dot(q.view().row(0) + c, k.view().row(1) + c, d_head)));
  return products;
}

inline void expect_near(const std::vector<double>& a, const std::vector<double>& b, double tolerance) {
  for (std::size_t h = 0; h < a.size(); ++h) EXPECT_NEAR(a[h], b[h], tolerance);
}

}  // namespace ordinal::rotary_test

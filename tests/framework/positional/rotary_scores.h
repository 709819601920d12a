// Scores of the rotary encodings for one query and one key, for their tests.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "framework/core/vector_math.h"
#include "framework/positional/positional_encoding.h"

namespace ordinal::rotary_test {

inline constexpr Index heads = 2;
inline constexpr Index d_head = 8;
inline constexpr Index width = heads * d_head;

inline const ModelShape shape{.d_model = width, .heads = heads, .n_kv_heads = heads, .train_length = 64};

// q at position i and k at position j after the hook, and their product in each head.
template <typename T>
std::vector<double> scores(const std::string& encoding_text, double i, double j,
                           const Stretch& stretch = {}) {
  ParameterLayout layout;
  const auto encoding = make_positional_encoding<T>(encoding_text, shape, Scope(layout, "positional"));
  const Parameters<T> values(layout);
  Pass<T> pass(values);
  pass.begin({.positions = Positions::shared(1, {i, j}).stretched(stretch)});
  encoding->begin_run(pass);
  Tensor<T> q({2, width});
  Tensor<T> k({2, width});
  Random random({.seed = 1});
  for (Index c = 0; c < width; ++c) {
    q(0, c) = q(1, c) = static_cast<T>(random.normal());
    k(0, c) = k(1, c) = static_cast<T>(random.normal());
  }
  encoding->encode_query_key(q.view(), k.view(), 0, pass);
  std::vector<double> products;
  for (Index h = 0; h < heads; ++h) {
    products.push_back(
        static_cast<double>(vmath::dot(q.view().row(0) + h * d_head, k.view().row(1) + h * d_head, d_head)));
  }
  return products;
}

inline void expect_near(const std::vector<double>& a, const std::vector<double>& b, double tolerance) {
  for (std::size_t h = 0; h < a.size(); ++h) EXPECT_NEAR(a[h], b[h], tolerance);
}

}  // namespace ordinal::rotary_test

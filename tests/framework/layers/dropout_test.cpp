// What dropout keeps and by how much it scales it. Its gradient: gradient_test.cpp.
#include "framework/layers/dropout.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace ordinal {
namespace {

// E[y] = x: an element stays with probability 1 - p and is divided by that.
TEST(Dropout, KeepsAShareOf1MinusPAndDividesByIt) {
  constexpr Index width = 50;
  constexpr Index rows = 400;
  constexpr double count = width * rows;
  Tensor<double> x({rows, width});
  std::ranges::fill(x.span(), 1.0);
  for (const double p : {0.1, 0.5, 0.8}) {
    ParameterLayout layout;
    const Dropout<double> dropout(p, width, Scope(layout, "layer"));
    const Parameters<double> values(layout);
    Pass<double> pass(values);
    pass.begin({.positions = Positions::contiguous(4, rows / 4), .training = true, .random = {.seed = 1}});
    const View<const double> y = dropout.forward(x.view(), pass);
    double kept = 0.0;
    for (Index r = 0; r < rows; ++r) {
      for (Index c = 0; c < width; ++c) {
        if (y(r, c) == 0.0) continue;
        EXPECT_DOUBLE_EQ(y(r, c), 1.0 / (1.0 - p));
        ++kept;
      }
    }
    EXPECT_NEAR(kept / count, 1.0 - p, 5.0 * std::sqrt(p * (1.0 - p) / count)) << p;
  }
}

}  // namespace
}  // namespace ordinal

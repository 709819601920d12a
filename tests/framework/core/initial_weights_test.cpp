// What weights start with, for every choice of model.init. Which parameters of a model do is in transformer_test.cpp.
#include "framework/core/initial_weights.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace ordinal {
namespace {

class EveryInitialWeights : public ::testing::TestWithParam<std::string> {};

TEST_P(EveryInitialWeights, HaveTheStandardDeviationThatTheySay) {
  for (const Index branches : {1, 2, 100}) {
    const InitialWeights weights = make_initial_weights(GetParam(), branches);
    for (const Initializer& initializer : {weights.inner(64), weights.last(64)}) {
      ASSERT_TRUE(initializer.scale > 0.0 && std::isfinite(initializer.scale)) << initializer.scale;
      ParameterLayout layout;
      layout.add("weight", {100, 64}, initializer);
      Parameters<float> values(layout);
      initialize(values, 1);
      double squares = 0.0;
      for (const float value : values.flat()) squares += std::pow(static_cast<double>(value), 2);
      EXPECT_NEAR(std::sqrt(squares / 6400.0) / initializer.scale, 1.0, 0.04);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Registry, EveryInitialWeights, ::testing::ValuesIn(initial_weights().names()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace ordinal

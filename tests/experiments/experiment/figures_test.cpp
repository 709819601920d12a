#include "experiments/experiment/figures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ordinal::experiments {
namespace {

using ::testing::DoubleEq;
using ::testing::ElementsAre;
using ::testing::Pointwise;

TEST(AttentionDistances, AreSharesOfTheWholeAttention) {
  const std::vector<std::vector<float>> map = {{1.0F}, {0.5F, 0.5F}, {0.25F, 0.25F, 0.5F}};
  std::vector<double> distances(3);
  for (const int head : {0, 1}) {
    for (Index query = 0; query < 3; ++query)
      add_distances({.head = head, .query = query, .probabilities = map[static_cast<std::size_t>(query)]},
                    0.5, distances);
  }
  EXPECT_THAT(distances, Pointwise(DoubleEq(), {2.0 / 3.0, 0.25, 0.25 / 3.0}));
}

TEST(AttentionDistances, OfBothSidesAreOne) {
  const std::vector<float> all = {0.25F, 0.75F};
  const std::vector<float> last = {0.5F};
  std::vector<double> distances(2);
  add_distances({.query = 0, .probabilities = all}, 1.0, distances);
  add_distances({.query = 0, .first_key = 1, .probabilities = last}, 1.0, distances);
  EXPECT_THAT(distances, ElementsAre(0.125, 0.625));
}

}  // namespace
}  // namespace ordinal::experiments

// The contract of every condition. Iterates over the registry, so a new condition is tested without being named here. What each
// changes is in scoring_test.cpp.
#include "experiments/conditions/condition.h"

#include <gtest/gtest.h>

#include <deque>
#include <string>

#include "tests/experiments/scoring/untrained.h"

namespace ordinal::experiments {
namespace {

// Models of all kinds, of which a condition fits some.
std::deque<Untrained> models() {
  std::deque<Untrained> all;
  for (const std::string encoding : {"sinusoidal", "rope", "alibi", "none", "learned", "rope@spaced"})
    all.emplace_back(small("language"), encoding);
  all.emplace_back(with(small("language"), "model.block", "lstm, feed_forward"), "none");
  all.emplace_back(with(small("language"), "model.causal", "false"), "rope");
  all.emplace_back(small("copy"), "rope");
  return all;
}

class EveryCondition : public ::testing::TestWithParam<std::string> {};

// To others it says why, as a result. Lengths are below, at and above that of training.
TEST_P(EveryCondition, ChangesScoresOfAModelThatItFitsAndNoTargets) {
  bool fits = false;
  bool changes = false;
  for (const Untrained& model : models()) {
    for (const Index length : {4, 8, 32}) {
      const Whole plain = model.score(length);
      const Whole changed = model.under(GetParam(), length);
      if (plain.failed || changed.failed) continue;
      fits = true;
      changes = changes || changed.value != plain.value;
      EXPECT_EQ(changed.tokens, plain.tokens) << "targets at length " << length;
      EXPECT_TRUE(std::isfinite(changed.value)) << "at length " << length;
    }
  }
  EXPECT_TRUE(fits) << "it fits none of the models that it was tried with";
  EXPECT_TRUE(changes || !fits || GetParam() == "trained") << "it changes no score of any model";
}

TEST_P(EveryCondition, GivesTheSameScoresOnAnyNumberOfThreads) {
  for (const Untrained& model : models()) {
    const Whole one = model.score(32, 1, GetParam());
    EXPECT_EQ(one.condition, GetParam());
    if (one.failed) continue;
    for (const int threads : {1, 2, 3, 7}) expect_same(model.score(32, threads, GetParam()), one);
  }
}

INSTANTIATE_TEST_SUITE_P(Registry, EveryCondition, ::testing::ValuesIn(conditions().names()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace ordinal::experiments

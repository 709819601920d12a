// Positions drawn at random for each example.
#include <algorithm>
#include <set>

#include "framework/positional/position_scheme.h"

namespace ordinal {
namespace {

class Randomized final : public SchemeRule {
 public:
  // Knuth's selection sampling: position p is taken with probability (still needed) / (still available).
  void draw(Index count, Index range, Random& random, std::vector<double>& positions) const override {
    if (range > largest_walk) return draw_different(count, range, random, positions);
    Index needed = count;
    for (Index p = 0; needed > 0; ++p) {
      if (static_cast<Index>(random.below(static_cast<std::uint32_t>(range - p))) >= needed) continue;
      positions.push_back(static_cast<double>(p));
      --needed;
    }
  }

 private:
  // Larger ranges are not scanned position by position: that would take longer than a step.
  static constexpr Index largest_walk = Index{1} << 24U;

  static void draw_different(Index count, Index range, Random& random, std::vector<double>& positions) {
    std::set<std::uint64_t> chosen;
    while (std::ssize(chosen) < count) chosen.insert(random.below(static_cast<std::uint32_t>(range)));
    positions.insert(positions.end(), chosen.begin(), chosen.end());
  }
};

class RandomFloat final : public SchemeRule {
 public:
  void draw(Index count, Index range, Random& random, std::vector<double>& positions) const override {
    const auto first = std::ssize(positions);
    for (Index t = 0; t < count; ++t) positions.push_back(random.uniform() * static_cast<double>(range));
    std::sort(positions.begin() + first, positions.end());
  }
};

class RandomShift final : public SchemeRule {
 public:
  void draw(Index count, Index range, Random& random, std::vector<double>& positions) const override {
    const auto first = static_cast<double>(random.below(static_cast<std::uint32_t>(range - count + 1)));
    for (Index t = 0; t < count; ++t) positions.push_back(first + static_cast<double>(t));
  }
};

}  // namespace

SchemeEntry randomized_scheme() {
  return describe_scheme<Randomized>(
      {.name = "randomized",
       .summary = "a sorted random subset of 0 … max_position - 1 for each example (*)",
       .definition =
           R"(p_0 < p_1 < … is a random subset of {0, …, M - 1} with one number per token, each subset equally
likely, drawn for each example in training and in the test. M = max_position (0: twice the longest length of
training and test). Ruoss et al. 2023.)",
       .is_random = true,
       .has_range = true});
}

SchemeEntry random_float_scheme() {
  return describe_scheme<RandomFloat>(
      {.name = "random_float",
       .summary = "sorted random reals below max_position for each example (*)",
       .definition =
           R"(p_0 ≤ p_1 ≤ … are real numbers, one for each token, independent and uniform in [0, M), then sorted,
drawn for each example in training and in the test. M = max_position (0: twice the longest length of training
and test). Shimizu 2026.)",
       .is_random = true,
       .has_range = true});
}

SchemeEntry random_shift_scheme() {
  return describe_scheme<RandomShift>(
      {.name = "random_shift",
       .summary = "0, 1, 2, … shifted by a random whole number for each example (*)",
       .definition =
           R"(p_t = k + t for token t = 0, 1, … of a sequence of ℓ tokens, k a whole number uniform in 0 … M - ℓ, drawn for
each example in training and in the test (`@random_shift:contiguous` tests from 0). M = max_position (0: twice
the longest length of training and test). SHAPE, Kiyono et al. 2021.)",
       .is_random = true,
       .has_range = true});
}

}  // namespace ordinal

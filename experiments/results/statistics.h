// The one procedure by which rows are compared and claims decided: exact sign tests over seeds, decided together as Holm does,
// with intervals of the median difference from order statistics at the level α of the test. experiments/README.md states it so
// that each verdict can be computed again; here is what it leaves open. Read comparison.h next for how results become samples.
//
//   Looks     The p of a claim that is asked for the k-th time is multiplied by k, and its α divided by k (Bonferroni).
//   Interval  None if even the one from the smallest to the largest difference misses the median more often than α. A comparison
//             is decided exactly if its interval lies on one side of 0.
//
// Nothing is assumed of the differences but that seeds are independent. A verdict is about the typical seed, which a rare
// failure does not move. statistics_simulation_test.cpp simulates it: at most 5 % of families have a false verdict.
#pragma once

#include <limits>
#include <span>
#include <vector>

#include "framework/core/tensor.h"

namespace ordinal::experiments {

inline constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

/// NaN where there is none.
struct Interval {
  double low = not_a_number;
  double high = not_a_number;
};

/// The exact interval of a share, given `successes` in `trials`: the share lies beyond each end with a probability of
/// at most 2.5 % (Clopper and Pearson 1934). [0, 1] without trials.
Interval clopper_pearson(Index successes, Index trials);

/// The interval of the median of the values at a level (see above); none for fewer than six values at 5 %.
Interval median_interval(std::vector<double> values, double level = 0.05);

/// A sample in numbers. `sd` is the sample standard deviation (divisor n - 1). All but n are NaN for n = 0, and sd for n = 1.
struct Summary {
  Index n = 0;
  double mean = not_a_number;
  double sd = not_a_number;
  double lowest = not_a_number;
  double highest = not_a_number;
  Interval median = {};  // the 95 % interval
};

/// Summary of finite values; a NaN or an infinity among them propagates to the mean.
Summary summarize(std::span<const double> values);

/// Answer to the claim that the differences are above zero.
enum class Decision { holds, fails, undecided };

/// A comparison over seeds. Until decide() is called, it is undecided and has no interval.
struct Comparison {
  std::vector<double> differences = {};  // one for each seed, positive where the claim holds
  Index ahead = 0;                       // seeds for the claim
  Index behind = 0;                      // seeds against it
  Index looks = 1;                       // how often it was asked, this time included
  Interval interval = {};                // of the median difference, at the level of the test
  Decision decision = Decision::undecided;

  Index n() const { return std::ssize(differences); }
  double p() const;
  /// The median difference; NaN without seeds.
  double median() const;
  /// The same seen from the other side.
  Comparison turned() const;
};

/// How one side does against another, given how far it is ahead in each seed. It has to be ahead by more than the margin.
/// Differences from the margin up to 1e-12 are rounding: equal.
Comparison compare(std::vector<double> differences, double margin = 0.0);

/// Decides comparisons that are made together.
void decide(std::span<Comparison* const> family);

/// The smallest number of seeds that can decide a family with this number of comparisons, if all seeds agree.
Index seeds_to_decide(Index comparisons);

/// About how many seeds decide an undecided comparison of such a family, if the same share of them is ahead or behind: the smallest
/// number that does. 0 if more than 1,000.
Index seeds_to_decide(const Comparison& undecided, Index comparisons);

}  // namespace ordinal::experiments

// The one procedure by which rows are compared and claims decided. Read comparison.h next for how results become samples.
//
//   Test      In n seeds let d_s be the difference in seed s. With `ahead` seeds for one side and `behind` for the other,
//             p = 2 · P(Bin(n, 1/2) >= max(ahead, behind)), at most 1: the exact sign test. A seed in which the two are equal
//             counts for neither, so it speaks against both verdicts.
//   Family    Holm 1979: of comparisons that are made together, each has the level 0.05 / (number of those whose p is at least
//             as large). One is decided if its p and all smaller ones are at most their levels. The others are undecided,
//             at the level at which this ended.
//   Looks     The p of a claim that is asked for the k-th time is multiplied by k, whatever the family (Bonferroni).
//   Interval  of the median difference, at the level α of its test: d_(j) to d_(n+1-j) of the sorted differences, with the largest
//             j for which 2 · P(Bin(n, 1/2) < j) <= α; none if there is no such j. A comparison is decided exactly if its
//             interval lies on one side of 0. With k looks, α is divided by k.
//   Learning  k of n seeds, with the exact interval of Clopper and Pearson.
//
// Nothing is assumed of the differences but that seeds are independent: no normality, symmetry or equal spread. A verdict is
// about the typical seed, which a rare failure does not move. statistics_simulation_test.cpp simulates it: at most 5 % of
// families have a false verdict.
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
/// at most 2.5 % (Clopper and Pearson 1934). [0, 1] without trials. Throws std::invalid_argument unless
/// 0 <= successes <= trials.
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

/// How one side does against another, given how far it is ahead in each seed. Differences up to 1e-12 are rounding: equal.
Comparison compare(std::vector<double> differences);

/// Decides comparisons that are made together.
void decide(std::span<Comparison* const> family);

/// The smallest number of seeds that can decide a family with this number of comparisons, if all seeds agree.
Index seeds_to_decide(Index comparisons);

}  // namespace ordinal::experiments

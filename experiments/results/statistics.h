// Statistics of a few seeds: mean, spread and intervals, shares of seeds, and a paired comparison that tests a claim.
// All arithmetic is in double. Read comparison.h next for how results become samples.
//
// A few seeds cannot show a rare failure: if one in ten fails, five seeds miss it in 59 % of experiments. Then no
// procedure that decides anything is right about the mean over all seeds. So there are two kinds of statement. How often
// a seed learns (or succeeds) is a share, with the exact interval of clopper_pearson(), and compare_with_half() tells
// whether most seeds do. Means and paired comparisons are about the typical seed, the median, which a rare failure does
// not move. Their interval is that of Student's t, which assumes normal spread, widened to that of the sign test (order
// statistics), which holds for any distribution, also a skewed one or one with failures. The sign test uses the level
// 0.05, or 0.11 for up to ten values. So it excludes none of seven or fewer values: a few seeds must agree. With fewer than
// five pairs, where the sign test is weak, decisions use t at n/5 of its level. statistics_simulation_test.cpp simulates
// this: at most 5 % of single decisions are false. Signed ranks and sign permutations were rejected: their smallest p at
// n = 5 is 0.0625, and failures move them.
#pragma once

#include <limits>
#include <optional>
#include <span>

#include "framework/core/tensor.h"

namespace ordinal::experiments {

inline constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

/// With fewer seeds there are no intervals and no decisions.
inline constexpr Index fewest_for_intervals = 3;

/// NaN where there is none.
struct Interval {
  double low = not_a_number;
  double high = not_a_number;
};

/// The exact interval of a share, given `successes` in `trials`: the share lies beyond each end with a probability of
/// at most `level` / 2 (Clopper and Pearson 1934). [0, 1] without trials. Throws std::invalid_argument unless
/// 0 <= successes <= trials.
Interval clopper_pearson(Index successes, Index trials, double level = 0.05);

/// The range of possible values; intervals stay inside it.
enum class Range { any, positive, fraction };

/// A sample in five numbers. `sd` is the sample standard deviation (divisor n - 1); [low, high] is the 95 %
/// interval of the typical value, which holds the mean and the median: mean ± t(0.975, n - 1) sd / √n, on the scale of the
/// logarithm or the logit where the range is bounded (with the error of the mean there by the delta method), widened to
/// the order statistics of the sign test. All but n are NaN for n = 0, sd and interval for n = 1, and the interval for
/// fewer than three values or a spread of 0.
struct Summary {
  Index n = 0;
  double mean = not_a_number;
  double sd = not_a_number;
  double low = not_a_number;
  double high = not_a_number;
};

/// Summary of finite values; a NaN or an infinity among them propagates to the mean.
Summary summarize(std::span<const double> values, Range range = Range::any);

/// Answer to the claim "left is greater than right".
enum class Decision { holds, fails, undecided };

/// Paired comparison over seeds: effect = mean(left - right) with the interval of summarize(), and the two-sided p of
/// Student's t. holds: the whole interval lies above zero; fails: below zero; undecided otherwise. Fewer than three pairs,
/// or differences without spread, have no interval and no p, and decide nothing.
/// It is a 95 % interval until correct() widens the part that comes from Student's t.
struct PairedComparison {
  Index n = 0;
  double effect = not_a_number;
  double sd = not_a_number;  // of the differences
  double low = not_a_number;
  double high = not_a_number;
  double p = not_a_number;
  Decision decision = Decision::undecided;
  Interval typical = {};                // of the median of the differences, by the sign test
  std::optional<Index> successes = {};  // in n trials: of compare_with_half(), which has no sd and no typical
  double most =
      std::numeric_limits<double>::infinity();  // bound on differences and on the interval: 1 for fractions

  /// All differences are equal (up to rounding), so nothing tells how certain they are.
  bool has_no_spread() const;
};

/// Compares left[i] with right[i], the same seed on both sides. Throws std::invalid_argument if the sides differ in size.
PairedComparison compare_pairs(std::span<const double> left, std::span<const double> right,
                               double most = std::numeric_limits<double>::infinity());

/// Whether something happens in more than half of all seeds, given `successes` in `trials`: effect = share - 1/2, with the
/// exact interval of the share, and the two-sided p of the binomial test, for any number of trials but none. Errors: those
/// of clopper_pearson().
PairedComparison compare_with_half(Index successes, Index trials);

/// Corrects comparisons that are made together, so that the probability that any of them is decided in
/// error is at most 5 % (Holm 1979): of m comparisons, the one with the i-th smallest p is decided if its p
/// and all smaller ones are at most 0.05 / (m + 1 - i), and its interval excludes zero. Each interval has the confidence
/// level at which its comparison was tested. `further` counts comparisons of the same family that are not decided.
void correct(std::span<PairedComparison* const> comparisons, Index further = 0);

/// Whether the two differ by less than `margin` (two one-sided t tests, Schuirmann 1987, at the level 0.05 / tests), also
/// in the median of the seeds.
bool equivalent(const PairedComparison& pairs, double margin, Index tests = 1);

}  // namespace ordinal::experiments

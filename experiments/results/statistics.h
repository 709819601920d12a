// Statistics of a few seeds: mean, spread, confidence interval, and a paired comparison that tests a claim.
// All arithmetic is in double. Read comparison.h next for how results become samples.
#pragma once

#include <limits>
#include <span>

#include "framework/core/tensor.h"

namespace ordinal::experiments {

inline constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

/// A sample in five numbers. `sd` is the sample standard deviation (divisor n - 1); [low, high] is the 95 %
/// interval of the mean, mean ± t(0.975, n - 1) sd / √n. All but n are NaN for n = 0, sd and interval for n
/// = 1.
struct Summary {
  Index n = 0;
  double mean = not_a_number;
  double sd = not_a_number;
  double low = not_a_number;
  double high = not_a_number;
};

/// Summary of finite values; a NaN or an infinity among them propagates to the mean.
Summary summarize(std::span<const double> values);

/// Value below which Student's t with `degrees` > 0 degrees of freedom falls with `probability` in (0, 1).
/// Throws std::invalid_argument outside those ranges.
double student_t_quantile(double probability, double degrees);

/// Answer to the claim "left is greater than right".
enum class Decision { holds, fails, undecided };

/// Paired t test over seeds: effect = mean(left - right) with its interval and two-sided p value.
/// holds: the whole interval lies above zero; fails: below zero; undecided otherwise, and always for n < 2.
/// The interval is one of 95 % until correct() widens it.
struct PairedComparison {
  Index n = 0;
  double effect = not_a_number;
  double sd = not_a_number;  // of the differences
  double low = not_a_number;
  double high = not_a_number;
  double p = not_a_number;
  Decision decision = Decision::undecided;
};

/// Compares left[i] with right[i], the same seed on both sides. If all differences are equal, the interval is
/// that one number, and p is 0 (or 1 if it is zero). Throws std::invalid_argument if the sides differ in
/// size.
PairedComparison compare_pairs(std::span<const double> left, std::span<const double> right);

/// Corrects comparisons that are made together, so that the probability that any of them is decided in
/// error is at most 5 % (Holm 1979): of m comparisons, the one with the i-th smallest p is decided if its p
/// and all smaller ones are at most 0.05 / (m + 1 - i). Each interval has the confidence level at which its
/// comparison was tested, so that it excludes zero if and only if the comparison is decided. `further` counts
/// comparisons that belong to them and are not decided.
void correct(std::span<PairedComparison* const> comparisons, Index further = 0);

/// Whether the means differ by less than `margin` (two one-sided t tests, Schuirmann 1987), at the level
/// 0.05 / tests.
bool equivalent(const PairedComparison& pairs, double margin, Index tests = 1);

}  // namespace ordinal::experiments

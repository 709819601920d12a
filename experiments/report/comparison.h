// Groups the cells of an experiment into rows and columns (lengths, under one condition): the one place where
// "mean over seeds" is computed. Table, curves and verdicts all use it, so they cannot disagree.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "experiments/results/result.h"
#include "experiments/results/statistics.h"

namespace ordinal::experiments {

/// One row at one length, over all seeds. `values[i]` is the finite score of `seeds[i]`. If most seeds of a
/// row learned the task, the others are left out and counted separately. If most did not, all have their scores, and the
/// row is not ranked. Seeds that cannot run at this length are counted in either case.
struct Entry {
  std::vector<std::uint64_t> seeds;
  std::vector<double> values;
  Summary summary;              // of `values`
  double sampling_error = 0.0;  // largest standard error of a value from the choice of examples
  Index failed = 0;             // seeds that cannot run at this length
  Index diverged = 0;           // seeds whose score is NaN or infinite
  Index not_learned = 0;        // seeds that did not learn the training length
  std::string why;              // of the first failure

  bool has_number() const { return summary.n > 0 && diverged == 0; }
  /// NaN if the seed has none.
  double value_of(std::uint64_t seed) const {
    const auto at = std::ranges::find(seeds, seed) - seeds.begin();
    return at < std::ssize(seeds) ? values[static_cast<std::size_t>(at)] : not_a_number;
  }
};

struct ComparisonRow : RowInfo {
  Index parameters = 0;
  std::string note = {};
  Index cells = 0;                  // seeds that were run
  Index learned_cells = 0;          // of these, seeds that learned the training length
  Index not_learned = 0;            // and seeds that did not learn the training length
  std::vector<Entry> entries = {};  // one per length

  /// The interval of the share of seeds that learn.
  Interval learned_share() const { return clopper_pearson(learned_cells, learned_cells + not_learned); }
  /// At least half of the seeds learned the task. Others are shown, but never ranked.
  bool learned() const { return 2 * not_learned <= cells; }
  bool is_ranked(std::size_t column) const { return learned() && entries[column].has_number(); }
  /// The mean of a column, where there is one.
  double mean(std::size_t column) const {
    return entries[column].has_number() ? entries[column].summary.mean : not_a_number;
  }
};

struct Comparison {
  MetricInfo metric;
  std::vector<Index> lengths;
  std::vector<ComparisonRow> rows;
  Index seeds = 0;  // largest n of any entry: stated once instead of in every cell
};

/// The conditions of the experiment, never empty; the first one is that of the main tables and curves.
std::vector<std::string> conditions_of(const ExperimentResult& result);

/// The seeds of all cells, ascending.
std::vector<std::uint64_t> seeds_of(const ExperimentResult& result);

/// Rows in the order of the experiment, for one metric; rows of which no cell has run are left out. Without a
/// metric: the headline. Without a condition: the first one.
Comparison compare(const ExperimentResult& result, const std::string& metric = "",
                   const std::string& condition = "");

/// Paired comparison of two entries of a metric over the seeds that both have.
PairedComparison compare_entries(const Entry& left, const Entry& right, const MetricInfo& metric);

/// Paired comparisons that are corrected together, as those of `looks` looks at the results (see correct()): of each pair of
/// ranked rows in a first and a last column, which can be the same, and of each row between the two.
class Differences {
 public:
  Differences(const Comparison& comparison, std::size_t first, std::size_t last, Index looks = 1);

  /// By how much row `left` is better than row `right` in one of the columns; both must be ranked.
  PairedComparison better(std::size_t column, std::size_t left, std::size_t right) const;
  /// By how much a row changes from the first column to the last; nothing if it is not ranked in both.
  const PairedComparison& change(std::size_t row) const { return pairs_.at({1, row, row}); }
  /// How many they are.
  Index tests() const { return tests_; }

 private:
  std::size_t first_;
  bool lower_is_better_;
  Index tests_ = 0;
  /// By {0: in the first column, 1: between the columns, 2: in the last column; left row; right row, no smaller one}.
  std::map<std::array<std::size_t, 3>, PairedComparison> pairs_;
};

/// If the seeds of a fraction succeed or fail (at least 0.9, or at most 0.1) and nothing between, each some of them, or all
/// alike: how many succeed. Their mean and spread say little then.
std::optional<Index> successes(const Entry& entry, const MetricInfo& metric);

/// "4 of 5, 0.28 to 0.99": a share with its exact interval; without the interval under three seeds.
std::string share_text(Index count, Index of);

/// Index of the ranked row with the best mean of a column; nothing if no row is ranked there.
std::optional<std::size_t> best_row(const Comparison& comparison, std::size_t column);

/// "1x", "2x", "1.5x": length as a multiple of the training length; "" if rows differ in that.
std::string multiple_of(Index length, Index train_length);

/// Smaller differences of a metric count as equivalent.
double margin_of(const MetricInfo& metric);

/// "64", or "64, and 256 in 5 % of the batches" where long batches were mixed in, or "64, in a second stage up to 128" if some
/// row was trained further on longer sequences.
std::string trained_lengths(const ExperimentResult& result);

}  // namespace ordinal::experiments

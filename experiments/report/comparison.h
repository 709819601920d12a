// Groups the cells of an experiment into rows and columns (lengths, under one condition): the one place where
// "mean over seeds" is computed. Table, curves and verdicts all use it, so they cannot disagree.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "experiments/results/result.h"
#include "experiments/results/statistics.h"

namespace ordinal::experiments {

/// One row at one length, over all seeds. `values[i]` is the finite score of `seeds[i]`. If most seeds of a
/// row learned the task, the others are left out and counted separately. If most did not, all scores are kept and the row
/// is not ranked. Seeds that cannot run at this length are counted in either case.
struct Entry {
  std::vector<std::uint64_t> seeds;
  std::vector<double> values;
  Summary summary;              // of `values`
  double sampling_error = 0.0;  // largest standard error of a value from the choice of examples
  Index failed = 0;             // seeds that cannot run at this length
  Index diverged = 0;           // seeds whose score is NaN or infinite
  Index not_learned = 0;        // seeds that did not learn the training length
  std::string why;              // reason for the first failure

  bool has_number() const { return summary.n > 0 && diverged == 0; }
  /// The value of a seed; NaN if it has none.
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

  /// Interval for the share of seeds that learn.
  Interval learned_share() const { return clopper_pearson(learned_cells, learned_cells + not_learned); }
  /// At least half of the seeds learned the task. Other rows are shown but never ranked.
  bool learned() const { return 2 * not_learned <= cells; }
  bool is_ranked(std::size_t column) const { return learned() && entries[column].has_number(); }
  /// The mean of a column; NaN if there is none.
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

/// The conditions of the experiment, never empty. The main tables and curves show the first one.
std::vector<std::string> conditions_of(const ExperimentResult& result);

/// The seeds of all cells, ascending.
std::vector<std::uint64_t> seeds_of(const ExperimentResult& result);

/// Rows in the order of the experiment, for one metric. Rows with no finished cell are left out. The metric
/// defaults to the headline, the condition to the first one.
Comparison compare(const ExperimentResult& result, const std::string& metric = "",
                   const std::string& condition = "");

/// Paired comparison of two entries of a metric over the seeds that both have.
PairedComparison compare_entries(const Entry& left, const Entry& right, const MetricInfo& metric);

/// Paired comparisons, corrected together for `looks` looks at the results (see correct()). They compare each pair of ranked
/// rows in a first and a last column, which can be the same, and each row between the two columns.
class Differences {
 public:
  Differences(const Comparison& comparison, std::size_t first, std::size_t last, Index looks = 1);

  /// How much better row `left` is than row `right` in one of the columns. Both must be ranked.
  PairedComparison better(std::size_t column, std::size_t left, std::size_t right) const;
  /// How much a row changes from the first column to the last. Empty if it is not ranked in both.
  const PairedComparison& change(std::size_t row) const { return pairs_.at({1, row, row}); }
  /// The number of comparisons over all looks.
  // NOLINTNEXTLINE(clang-analyzer-core.uninitialized.UndefReturn): the constructor, in another file, sets it
  Index tests() const { return tests_; }

 private:
  std::size_t first_;
  bool lower_is_better_;
  Index tests_ = 0;
  /// Key: {0: in the first column, 1: between the columns, 2: in the last column; left row; right row >= left row}.
  std::map<std::array<std::size_t, 3>, PairedComparison> pairs_;
};

/// The number of seeds that succeed, for a fraction where every seed succeeds (at least 0.9) or fails (at most 0.1) and
/// either both occur or all scores are equal. Mean and spread say little then.
std::optional<Index> successes(const Entry& entry, const MetricInfo& metric);

/// "4 of 5, 0.28 to 0.99": a share with its exact interval; no interval for fewer than three seeds.
std::string share_text(Index count, Index of);

/// Index of the ranked row with the best mean in a column; nothing if no row is ranked there.
std::optional<std::size_t> best_row(const Comparison& comparison, std::size_t column);

/// "1x", "2x", "1.5x": length as a multiple of the training length; "" if rows differ in training length.
std::string multiple_of(Index length, Index train_length);

/// Smaller differences of a metric count as equivalent.
double margin_of(const MetricInfo& metric);

/// "64", or "64, and 256 in 5 % of the batches" where long batches were mixed in, or "64, in a second stage up to 128" if some
/// row was trained further on longer sequences.
std::string trained_lengths(const ExperimentResult& result);

}  // namespace ordinal::experiments

// Groups the scores of an experiment over seeds: the one place where "mean over seeds" is computed. Tables, CSV, curves and
// sentences all read at(), so they cannot disagree.
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

/// How many seeds of a row learned the task.
struct Learning {
  Index cells = 0;        // seeds that were run
  Index learned = 0;      // of these, seeds that learned the training length
  Index not_learned = 0;  // and seeds that did not

  Index known() const { return learned + not_learned; }
  /// At least half of the seeds learned the task. Other rows are shown but never ranked.
  bool most() const { return 2 * not_learned <= cells; }
};

/// The scores of a row over all seeds, at one length, under one condition, in one metric. `values[i]` is the finite score of
/// `seeds[i]`. If most seeds of a row learned the task, the others are left out. If most did not, all scores are kept and
/// the row is not ranked. Seeds that cannot run are counted in either case.
struct Group {
  std::vector<std::uint64_t> seeds = {};
  std::vector<double> values = {};
  Summary summary = {};    // of `values`
  Learning learning = {};  // of the row
  double error = 0.0;      // largest standard error of a value from the choice of examples
  Index failed = 0;        // seeds that cannot run
  Index diverged = 0;      // seeds whose score is NaN or infinite
  std::string why = {};    // reason for the first failure

  bool has_number() const { return summary.n > 0 && diverged == 0; }
  bool is_ranked() const { return learning.most() && has_number(); }
  /// The value of a seed; NaN if it has none.
  double value_of(std::uint64_t seed) const;
};

/// A group for each row of rows_of(): a column of a table.
using Column = std::vector<Group>;

/// The conditions of the experiment, never empty. The main tables and curves show the first one.
std::vector<std::string> conditions_of(const ExperimentResult& result);

/// The seeds of all cells, ascending.
std::vector<std::uint64_t> seeds_of(const ExperimentResult& result);

/// The rows that have a finished cell, in the order of the experiment.
std::vector<RowInfo> rows_of(const ExperimentResult& result);

/// The first finished cell of a row; there must be one.
const CellResult& first_cell(const ExperimentResult& result, const std::string& row);

Learning learning_of(const ExperimentResult& result, const std::string& row);

/// The query that everything reads.
Group at(const ExperimentResult& result, const std::string& row, Index length, const std::string& condition,
         const MetricSpec& metric);

/// The columns of a table: one for each length, under a condition (by default the first).
std::vector<Column> columns_of(const ExperimentResult& result, const MetricSpec& metric,
                               const std::vector<Index>& lengths, const std::string& condition = "");

/// The largest n of any group, which a table states once instead of in every cell.
Index most_seeds(const std::vector<Column>& columns);

/// The scores of each baseline in a metric, with its name. Those without a score are left out.
std::vector<std::pair<std::string, std::vector<Score>>> baselines(const ExperimentResult& result,
                                                                  const std::string& metric);

/// Paired comparison of two groups of a metric over the seeds that both have.
PairedComparison compare_groups(const Group& left, const Group& right, const MetricSpec& metric);

/// Paired comparisons of each two ranked rows in each of some columns of a metric, corrected together for `looks` looks at the
/// results (see correct()).
class Differences {
 public:
  Differences(const MetricSpec& metric, const std::vector<Column>& columns, Index looks = 1);

  /// How much better row `left` is than row `right` in a column. Both must be ranked.
  PairedComparison better(std::size_t column, std::size_t left, std::size_t right) const;
  /// The number of comparisons over all looks.
  Index tests() const { return tests_; }

 private:
  bool lower_is_better_;
  Index tests_ = 0;
  std::map<std::array<std::size_t, 3>, PairedComparison> pairs_;  // by column, left row, right row > left row
};

/// The number of seeds that succeed, for a fraction where every seed succeeds (at least 0.9) or fails (at most 0.1) and
/// either both occur or all scores are equal. Mean and spread say little then.
std::optional<Index> successes(const Group& group, const MetricSpec& metric);

/// "4 of 5, 0.28 to 0.99": a share with its exact interval; no interval for fewer than three seeds.
std::string share_text(Index count, Index of);

/// Index of the ranked row with the best mean; nothing if no row is ranked.
std::optional<std::size_t> best_row(const Column& column, const MetricSpec& metric);

/// "1x", "2x", "1.5x": length as a multiple of the training length; "" if rows differ in training length.
std::string multiple_of(Index length, Index train_length);

/// Smaller differences of a metric count as equivalent.
double margin_of(const MetricSpec& metric);

/// "64", or "64, and 256 in 5 % of the batches" where long batches were mixed in, or "64, in a second stage up to 128" if some
/// row was trained further on longer sequences.
std::string trained_lengths(const ExperimentResult& result);

}  // namespace ordinal::experiments

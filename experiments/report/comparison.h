// Groups the scores of an experiment over seeds: the one place where "mean over seeds" is computed, and where rows are
// compared. Tables, CSV, curves and sentences all read at() and rankings_of(), so they cannot disagree.
#pragma once

#include <algorithm>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "experiments/results/result.h"
#include "experiments/results/statistics.h"

namespace ordinal::experiments {

/// A mean over fewer targets in a seed is not shown; their number stands in its place.
inline constexpr Index fewest_targets = 100;

/// How many seeds of a row learned the task.
struct Learning {
  Index seeds = 0;        // that were run
  Index learned = 0;      // of these, seeds that learned the training length
  Index not_learned = 0;  // and seeds that did not, or diverged; of the others it is unknown

  Index known() const { return learned + not_learned; }
  /// At least three quarters of the seeds are known to have learned the task. Other rows are shown but never ranked.
  bool most() const { return 4 * learned >= 3 * seeds; }
};

/// The scores of a row over all seeds, at one length, under one condition, in one metric, whether they learned the task or not.
/// `values[i]` is the finite score of `seeds[i]`.
struct Group {
  std::vector<std::uint64_t> seeds = {};
  std::vector<double> values = {};
  Summary summary = {};    // of `values`
  Learning learning = {};  // of the models
  double error = 0.0;      // largest standard error of a value from the choice of examples
  Index targets = 0;       // of the value that stands on the fewest
  Index failed = 0;        // seeds that cannot run
  Index diverged = 0;      // seeds whose score is NaN or infinite
  std::string why = {};    // reason for the first failure

  /// Too few targets for a mean.
  bool is_few() const { return summary.n > 0 && targets < fewest_targets; }
  bool has_number() const { return summary.n > 0 && !is_few(); }
  bool is_ranked() const { return learning.most() && has_number() && failed + diverged == 0; }
};

/// A group for each row of an experiment: a column of a table.
using Column = std::vector<Group>;

/// Over the seeds of a row.
Learning learning_of(const ExperimentResult& result, const std::string& row);

/// The scores of one row (or reader) at one length, under one condition, in one metric: the query that everything reads.
Group grouped(const std::vector<const Score*>& scores);
Group at(const ExperimentResult& result, const std::string& row, Index length, const std::string& condition,
         const MetricSpec& metric);

/// The baselines that have a score in a metric, and the score of one, as of a row with one seed.
std::vector<std::string> readers_of(const ExperimentResult& result, const MetricSpec& metric);
Group reader_at(const ExperimentResult& result, const std::string& reader, Index length,
                const MetricSpec& metric);

/// Of the readers that ignore where answers stand (they know at most the order of tokens) the best score at a length, on a task;
/// null without one on enough targets.
const Score* best_reader(const std::vector<Score>& scores, const std::string& task, Index length,
                         const MetricSpec& metric);

/// The best at the longest length, for each task of the rows.
std::vector<const Score*> best_readers(const ExperimentResult& result, const MetricSpec& metric);

/// All rows at a length, under the main condition.
Column column_of(const ExperimentResult& result, const MetricSpec& metric, Index length);

/// The seeds of the row that has the most, which a table states once instead of in every cell.
Index most_seeds(const ExperimentResult& result);

/// How much better one group does than another in the seeds that both have.
Comparison compare_groups(const Group& left, const Group& right, const MetricSpec& metric);

/// Two rows by their indices, and how the first does against the other.
struct Pair {
  std::size_t row = 0;
  std::size_t other = 0;
  Comparison by = {};
};

/// How the rows compare in a headline metric at the longest length, under the first condition.
struct Ranking {
  MetricSpec metric;
  Column column;                         // of all rows
  std::vector<std::size_t> ranked = {};  // rows by their indices, those with better means first
  std::vector<Pair> pairs = {};  // of each ranked row with all that follow it, those of the first row first

  std::span<const Pair> of_first() const {
    return std::span(pairs).first(ranked.empty() ? 0 : ranked.size() - 1);
  }
  /// The first row, if it is decided to be ahead of any, and every ranked row that it is not decided to be ahead of.
  std::set<std::size_t> best() const;
};

/// The rankings of all headline metrics, whose pairs are decided together (see statistics.h).
std::vector<Ranking> rankings_of(const ExperimentResult& result);

/// The gates of all rows: "accuracy of at least 0.9 at the training length"; by task, if they differ. Empty if there are none.
std::string gate_text(const ExperimentResult& result);

/// "4/5 (0.28 to 0.99)": the seeds that learned the task, with the exact interval of their share; "unknown".
std::string learned_text(const Learning& learning);

/// "1x", "2x", "1.5x": length as a multiple of the training length; "" if rows differ in training length.
std::string multiple_of(Index length, Index train_length);

}  // namespace ordinal::experiments

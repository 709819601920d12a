// Groups the cells of an experiment into rows and columns (lengths, under one condition): the one place where
// "mean over seeds" is computed. Table, curves and verdicts all read it, so that they cannot disagree.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "experiments/report/result.h"
#include "experiments/report/statistics.h"

namespace ordinal::experiments {

/// Which positions a score is the mean of.
enum class Scored { all_positions, past_training };

/// One row at one length, over all seeds. `values[i]` is the finite score of `seeds[i]`.
struct Entry {
  std::vector<std::uint64_t> seeds;
  std::vector<double> values;
  Summary summary;     // of `values`
  Index failed = 0;    // seeds that cannot run at this length
  Index diverged = 0;  // seeds whose score is NaN or infinite
  std::string why;     // of the first failure

  bool has_number() const { return summary.n > 0 && diverged == 0; }
};

struct ComparisonRow {
  std::string label;
  std::vector<std::pair<std::string, std::string>> factors;
  Index parameters = 0;
  std::string note;
  std::vector<Entry> entries;  // one per length
};

struct Comparison {
  std::vector<Index> lengths;
  std::vector<ComparisonRow> rows;
  Index seeds = 0;  // largest n of any entry: what the table says once instead of in every cell
};

/// The conditions of the experiment, never empty; the first one is that of the main tables and curves.
std::vector<std::string> conditions_of(const ExperimentResult& result);

/// Rows in the order of the experiment, without those of which no cell has run. Scored::past_training keeps
/// only lengths past the training length of some row. Without a condition: under the first one.
Comparison compare(const ExperimentResult& result, Scored scored, const std::string& condition);
Comparison compare(const ExperimentResult& result, Scored scored);

/// Paired comparison of two entries over the seeds that both have.
PairedComparison compare_entries(const Entry& left, const Entry& right);

/// Index of the best mean of a column, or -1 if no row has a number there.
Index best_row(const Comparison& comparison, Index column, bool lower_is_better);

/// "1x", "2x", "1.5x": length as a multiple of the training length; "" if rows differ in that.
std::string multiple_of(Index length, Index train_length);

}  // namespace ordinal::experiments

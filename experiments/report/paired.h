// Two results side by side: every number of both, and how they differ from seed to seed.
#pragma once

#include <string>
#include <vector>

#include "experiments/report/grid.h"

namespace ordinal::experiments {

/// A row of each result.
struct RowPair {
  std::string first;
  std::string second;

  /// "rope", or "rope / alibi".
  std::string label() const { return first == second ? first : first + " / " + second; }
};

/// Rows with the same name, in the order of `first`. If each result has a single row: those two, whatever their names.
std::vector<RowPair> paired_rows(const ExperimentResult& first, const ExperimentResult& second);

/// The seeds of all rows, including rows that only one result has, and how many of them learned the task.
Grid rows_grid(const ExperimentResult& first, const ExperimentResult& second,
               const std::vector<RowPair>& pairs);

struct PairedTables {
  std::vector<Grid> grids =
      {};                // for each metric and condition; a difference whose interval excludes zero is bold
  std::string csv = {};  // a line for each number
};

/// Every number of the pairs in both results, and second - first over the seeds that both have, by metric, condition, row and
/// length. Entries that neither result has are left out. Both results have the same metrics. Unlike the tables of a report,
/// these tables include seeds that did not learn the task.
PairedTables paired_tables(const ExperimentResult& first, const ExperimentResult& second,
                           const std::vector<RowPair>& rows);

}  // namespace ordinal::experiments

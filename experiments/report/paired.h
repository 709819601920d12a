// Two results side by side: every number of both, and how they differ from seed to seed.
#pragma once

#include <string>
#include <vector>

#include "experiments/report/grid.h"

namespace ordinal::experiments {

/// A row of each.
struct RowPair {
  std::string first;
  std::string second;

  /// "rope", or "rope / alibi".
  std::string label() const { return first == second ? first : first + " / " + second; }
};

/// Rows of the same name, in the order of `first`; if each result has a single row, those two whatever their names.
std::vector<RowPair> paired_rows(const ExperimentResult& first, const ExperimentResult& second);

/// One number of a pair of rows in both results; an entry is empty where a result does not have it.
struct PairedNumber {
  std::string row;
  Index length = 0;
  std::string condition;
  MetricInfo metric;
  Entry first;
  Entry second;
  std::string first_text;  // see cell_text()
  std::string second_text;
  PairedComparison difference;  // second - first, over the seeds that both have
};

/// By metric, condition, row and length; those that neither result has are left out. Both have the same metrics. Unlike the
/// tables of a report, they include seeds that did not learn the task.
std::vector<PairedNumber> paired_numbers(const ExperimentResult& first, const ExperimentResult& second,
                                         const std::vector<RowPair>& rows);

/// The seeds of all rows, also of those that only one result has, and how many of them learned the task.
Grid rows_grid(const ExperimentResult& first, const ExperimentResult& second,
               const std::vector<RowPair>& pairs);

/// A grid for each metric and condition. A difference whose interval excludes zero is bold.
std::vector<Grid> paired_grids(const std::vector<PairedNumber>& numbers);

/// One line for each number.
std::string paired_csv(const std::vector<PairedNumber>& numbers);

}  // namespace ordinal::experiments

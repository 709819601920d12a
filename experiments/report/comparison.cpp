// Every mean over seeds is made in make_entry.
#include "experiments/report/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ordinal {
namespace {

/// A missing "past training" of a finite score means that there are no such positions, not that it diverged.
void add_score(Entry& entry, const CellResult& cell, const LengthScore& score, Scope scope) {
  if (score.failed) {
    if (entry.failed++ == 0) entry.why = score.why;
    return;
  }
  const double value = scope == Scope::all_positions ? score.value : score.past_training;
  if (std::isfinite(value)) {
    entry.seeds.push_back(cell.seed);
    entry.values.push_back(value);
  } else if (scope == Scope::all_positions || !std::isfinite(score.value) || std::isinf(value)) {
    ++entry.diverged;
  }
}

Entry make_entry(const ExperimentResult& result, const std::string& encoding, Index length, Scope scope) {
  Entry entry;
  for (const CellResult& cell : result.cells) {
    if (cell.encoding != encoding) continue;
    const auto score = std::find_if(cell.scores.begin(), cell.scores.end(),
                                    [&](const LengthScore& candidate) { return candidate.length == length; });
    if (score != cell.scores.end()) add_score(entry, cell, *score, scope);
  }
  entry.summary = summarize(entry.values);
  return entry;
}

}  // namespace

std::vector<std::string> encoding_names(const ExperimentResult& result) {
  std::vector<std::string> names;
  for (const CellResult& cell : result.cells) {
    if (std::find(names.begin(), names.end(), cell.encoding) == names.end()) names.push_back(cell.encoding);
  }
  return names;
}

Comparison compare(const ExperimentResult& result, Scope scope) {
  Comparison comparison;
  for (const Index length : result.lengths) {
    if (scope == Scope::all_positions || length > result.train_length) comparison.lengths.push_back(length);
  }
  for (const std::string& name : encoding_names(result)) {
    const auto first = std::find_if(result.cells.begin(), result.cells.end(),
                                    [&](const CellResult& cell) { return cell.encoding == name; });
    ComparisonRow row{name, first->parameters, first->positional_note, {}};
    for (const Index length : comparison.lengths) {
      row.entries.push_back(make_entry(result, name, length, scope));
      comparison.seeds = std::max(comparison.seeds, row.entries.back().summary.n);
    }
    comparison.rows.push_back(std::move(row));
  }
  return comparison;
}

PairedComparison compare_entries(const Entry& left, const Entry& right) {
  std::vector<double> a;
  std::vector<double> b;
  for (std::size_t i = 0; i < left.seeds.size(); ++i) {
    const auto match = std::find(right.seeds.begin(), right.seeds.end(), left.seeds[i]);
    if (match == right.seeds.end()) continue;
    a.push_back(left.values[i]);
    b.push_back(right.values[static_cast<std::size_t>(match - right.seeds.begin())]);
  }
  return compare_pairs(a, b);
}

Index best_row(const Comparison& comparison, Index column, bool lower_is_better) {
  Index best = -1;
  double best_mean = 0.0;
  for (std::size_t row = 0; row < comparison.rows.size(); ++row) {
    const Entry& entry = comparison.rows[row].entries[static_cast<std::size_t>(column)];
    if (!entry.has_number()) continue;
    const double mean = entry.summary.mean;
    if (best < 0 || (lower_is_better ? mean < best_mean : mean > best_mean)) {
      best = static_cast<Index>(row);
      best_mean = mean;
    }
  }
  return best;
}

std::string multiple_of(Index length, Index train_length) {
  return fmt::format("{:.4g}x", static_cast<double>(length) / static_cast<double>(train_length));
}

}  // namespace ordinal

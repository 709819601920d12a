// Every mean over seeds is made in make_entry.
#include "experiments/report/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ordinal::experiments {
namespace {

/// A missing "past training" of a finite score means that there are no such positions, not that it diverged.
void add_score(Entry& entry, const CellResult& cell, const LengthScore& score, Scored scored) {
  if (score.failed) {
    if (entry.failed++ == 0) entry.why = score.why;
    return;
  }
  const double value = scored == Scored::all_positions ? score.value : score.past_training;
  if (std::isfinite(value)) {
    entry.seeds.push_back(cell.seed);
    entry.values.push_back(value);
  } else if (scored == Scored::all_positions || !std::isfinite(score.value) || std::isinf(value)) {
    ++entry.diverged;
  }
}

Entry make_entry(const ExperimentResult& result, const std::string& row, Index length,
                 const std::string& condition, Scored scored) {
  Entry entry;
  for (const CellResult& cell : result.cells) {
    if (cell.row != row) continue;
    const auto score = std::ranges::find_if(cell.scores, [&](const LengthScore& candidate) {
      return candidate.length == length && candidate.condition == condition;
    });
    if (score != cell.scores.end()) add_score(entry, cell, *score, scored);
  }
  entry.summary = summarize(entry.values);
  return entry;
}

}  // namespace

std::vector<std::string> conditions_of(const ExperimentResult& result) {
  return result.conditions.empty() ? std::vector{trained_condition} : result.conditions;
}

Comparison compare(const ExperimentResult& result, Scored scored) {
  return compare(result, scored, conditions_of(result).front());
}

Comparison compare(const ExperimentResult& result, Scored scored, const std::string& condition) {
  Comparison comparison;
  for (const Index length : result.lengths) {
    const bool past =
        std::ranges::any_of(result.cells, [&](const auto& cell) { return length > cell.train_length; });
    if (scored == Scored::all_positions || past) comparison.lengths.push_back(length);
  }
  for (const RowInfo& info : result.rows) {
    const auto first = std::ranges::find(result.cells, info.label, &CellResult::row);
    if (first == result.cells.end()) continue;
    ComparisonRow row{info.label, info.factors, first->parameters, first->note, {}};
    for (const Index length : comparison.lengths) {
      row.entries.push_back(make_entry(result, info.label, length, condition, scored));
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
  if (train_length == 0) return "";
  return fmt::format("{:.4g}x", static_cast<double>(length) / static_cast<double>(train_length));
}

}  // namespace ordinal::experiments

// Every mean over seeds is computed in make_entry.
#include "experiments/report/comparison.h"

#include <fmt/format.h>

#include <cmath>
#include <set>
#include <utility>

namespace ordinal::experiments {
namespace {

void add_score(Entry& entry, const CellResult& cell, const LengthScore& score, const std::string& metric) {
  if (score.failed) {
    if (entry.failed++ == 0) entry.why = score.why;
    return;
  }
  const Measurement* measured = score.find(metric);
  if (measured == nullptr && !score.metrics.empty()) return;  // no targets of this kind
  if (measured == nullptr || !std::isfinite(measured->value)) {
    ++entry.diverged;
    return;
  }
  entry.seeds.push_back(cell.seed);
  entry.values.push_back(measured->value);
  if (measured->sampling_error > entry.sampling_error) entry.sampling_error = measured->sampling_error;
}

Entry make_entry(const ExperimentResult& result, const ComparisonRow& row, Index length,
                 const std::string& condition, const MetricInfo& metric) {
  Entry entry;
  for (const CellResult& cell : result.cells) {
    if (cell.row != row.label) continue;
    const LengthScore* score = score_at(cell.scores, length, condition);
    if (score == nullptr) continue;
    const bool counts = !row.learned() || has_learned(result, cell) != false;
    if (counts || score->failed) {
      add_score(entry, cell, *score, metric.id);
    } else {
      ++entry.not_learned;
    }
  }
  entry.summary = summarize(entry.values, metric.range());
  return entry;
}

}  // namespace

std::vector<std::string> conditions_of(const ExperimentResult& result) {
  return result.conditions.empty() ? std::vector{trained_condition} : result.conditions;
}

std::vector<std::uint64_t> seeds_of(const ExperimentResult& result) {
  std::set<std::uint64_t> seeds;
  for (const CellResult& cell : result.cells) seeds.insert(cell.seed);
  return {seeds.begin(), seeds.end()};
}

Comparison compare(const ExperimentResult& result, const std::string& metric, const std::string& condition) {
  const std::string under = condition.empty() ? conditions_of(result).front() : condition;
  Comparison comparison{
      metric.empty() ? result.metrics.front() : metric_of(result, metric), result.lengths, {}, 0};
  for (const RowInfo& info : result.rows) {
    ComparisonRow row{info};
    for (const CellResult& cell : result.cells) {
      if (cell.row != info.label) continue;
      if (row.cells++ == 0) {
        row.parameters = cell.parameters;
        row.note = cell.note;
      }
      const std::optional<bool> learned = has_learned(result, cell);
      if (learned) ++(*learned ? row.learned_cells : row.not_learned);
    }
    if (row.cells == 0) continue;
    for (const Index length : comparison.lengths) {
      row.entries.push_back(make_entry(result, row, length, under, comparison.metric));
      comparison.seeds = std::max(comparison.seeds, row.entries.back().summary.n);
    }
    comparison.rows.push_back(std::move(row));
  }
  return comparison;
}

PairedComparison compare_entries(const Entry& left, const Entry& right, const MetricInfo& metric) {
  std::vector<double> a;
  std::vector<double> b;
  for (std::size_t i = 0; i < left.seeds.size(); ++i) {
    const double other = right.value_of(left.seeds[i]);
    if (std::isnan(other)) continue;
    a.push_back(left.values[i]);
    b.push_back(other);
  }
  return compare_pairs(a, b, metric.is_fraction() ? 1.0 : INFINITY);
}

Differences::Differences(const Comparison& comparison, std::size_t first, std::size_t last, Index looks)
    : first_(first), lower_is_better_(comparison.metric.lower_is_better) {
  const auto& rows = comparison.rows;
  const auto add = [&](std::size_t where, std::size_t left, std::size_t at, std::size_t right,
                       std::size_t column) {
    if (!rows[left].is_ranked(at) || !rows[right].is_ranked(column)) return;
    pairs_[{where, left, right}] =
        compare_entries(rows[left].entries[at], rows[right].entries[column], comparison.metric);
  };
  for (std::size_t left = 0; left < rows.size(); ++left) {
    pairs_[{1, left, left}] = {};  // counts as a comparison even if it is not tested
    if (first != last) add(1, left, last, left, first);
    for (std::size_t right = left + 1; right < rows.size(); ++right) {
      add(0, left, first, right, first);
      if (first != last) add(2, left, last, right, last);
    }
  }
  std::vector<PairedComparison*> all;
  for (auto& [where, pairs] : pairs_) all.push_back(&pairs);
  tests_ = looks * std::ssize(all);
  correct(all, tests_ - std::ssize(all));
}

PairedComparison Differences::better(std::size_t column, std::size_t left, std::size_t right) const {
  const std::size_t where = column == first_ ? 0 : 2;
  PairedComparison pairs = pairs_.at({where, std::min(left, right), std::max(left, right)});
  const bool turned = (left > right) != lower_is_better_;  // lower - higher is good if lower is better
  if (!turned) return pairs;
  pairs.effect = -pairs.effect;
  pairs.low = -std::exchange(pairs.high, -pairs.low);
  if (pairs.decision != Decision::undecided)
    pairs.decision = pairs.decision == Decision::holds ? Decision::fails : Decision::holds;
  return pairs;
}

std::optional<Index> successes(const Entry& entry, const MetricInfo& metric) {
  const auto succeed = std::ranges::count_if(entry.values, [](double value) { return value >= 0.9; });
  const auto fail = std::ranges::count_if(entry.values, [](double value) { return value <= 0.1; });
  const bool mixed = succeed > 0 && fail > 0;
  const bool alike = entry.summary.sd == 0.0;
  if (!metric.is_fraction() || succeed + fail < entry.summary.n || !(mixed || alike)) return std::nullopt;
  return succeed;
}

std::string share_text(Index count, Index of) {
  if (of < fewest_for_intervals) return fmt::format("{} of {}", count, of);
  const Interval share = clopper_pearson(count, of);
  return fmt::format("{} of {}, {:.2f} to {:.2f}", count, of, share.low, share.high);
}

std::optional<std::size_t> best_row(const Comparison& comparison, std::size_t column) {
  std::optional<std::size_t> best;
  for (std::size_t row = 0; row < comparison.rows.size(); ++row) {
    if (!comparison.rows[row].is_ranked(column)) continue;
    const double mean = comparison.rows[row].mean(column);
    const double top = best ? comparison.rows[*best].mean(column) : not_a_number;
    if (!best || (comparison.metric.lower_is_better ? mean < top : mean > top)) best = row;
  }
  return best;
}

std::string multiple_of(Index length, Index train_length) {
  if (train_length == 0) return "";
  return fmt::format("{:.4g}x", static_cast<double>(length) / static_cast<double>(train_length));
}

double margin_of(const MetricInfo& metric) { return metric.unit.empty() ? 0.02 : 0.05; }

std::string trained_lengths(const ExperimentResult& result) {
  std::string first =
      std::to_string(result.train_length) + (result.mixture.empty() ? "" : ", " + result.mixture);
  if (result.longest_trained <= result.train_length) return first;
  return fmt::format("{}, in a second stage up to {}", first, result.longest_trained);
}

}  // namespace ordinal::experiments

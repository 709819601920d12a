#include "experiments/report/comparison.h"

#include <fmt/format.h>

#include <cmath>
#include <set>

namespace ordinal::experiments {
namespace {

void add_score(Group& group, const Score& score) {
  if (score.failed) {
    if (group.failed++ == 0) group.why = score.why;
  } else if (!std::isfinite(score.value)) {
    ++group.diverged;
  } else {
    group.seeds.push_back(score.seed);
    group.values.push_back(score.value);
    if (score.error > group.error) group.error = score.error;
  }
}

}  // namespace

double Group::value_of(std::uint64_t seed) const {
  const auto at = std::ranges::find(seeds, seed) - seeds.begin();
  return at < std::ssize(seeds) ? values[static_cast<std::size_t>(at)] : not_a_number;
}

std::vector<std::string> conditions_of(const ExperimentResult& result) {
  return result.conditions.empty() ? std::vector{trained_condition} : result.conditions;
}

std::vector<std::uint64_t> seeds_of(const ExperimentResult& result) {
  std::set<std::uint64_t> seeds;
  for (const CellResult& cell : result.cells) seeds.insert(cell.seed);
  return {seeds.begin(), seeds.end()};
}

std::vector<RowInfo> rows_of(const ExperimentResult& result) {
  std::vector<RowInfo> rows = result.rows;
  std::erase_if(rows, [&](const RowInfo& row) { return learning_of(result, row.label).cells == 0; });
  return rows;
}

const CellResult& first_cell(const ExperimentResult& result, const std::string& row) {
  return *std::ranges::find(result.cells, row, &CellResult::row);
}

Learning learning_of(const ExperimentResult& result, const std::string& row) {
  Learning learning;
  for (const CellResult& cell : result.cells) {
    if (cell.row != row) continue;
    ++learning.cells;
    const std::optional<bool> learned = has_learned(result, cell);
    if (learned) ++(*learned ? learning.learned : learning.not_learned);
  }
  return learning;
}

Group at(const ExperimentResult& result, const std::string& row, Index length, const std::string& condition,
         const MetricSpec& metric) {
  Group group{.learning = learning_of(result, row)};
  for (const CellResult& cell : result.cells) {
    if (cell.row != row) continue;
    const Score* score = score_at(cell.scores, metric.id, length, condition);
    if (score == nullptr) continue;  // no targets belong to it
    const bool counts = !group.learning.most() || has_learned(result, cell) != false;
    if (counts || score->failed) add_score(group, *score);
  }
  group.summary = summarize(group.values, range_of(metric));
  return group;
}

std::vector<Column> columns_of(const ExperimentResult& result, const MetricSpec& metric,
                               const std::vector<Index>& lengths, const std::string& condition) {
  const std::string under = condition.empty() ? conditions_of(result).front() : condition;
  const std::vector<RowInfo> rows = rows_of(result);
  std::vector<Column> columns;
  for (const Index length : lengths) {
    columns.emplace_back();
    for (const RowInfo& row : rows) columns.back().push_back(at(result, row.label, length, under, metric));
  }
  return columns;
}

Index most_seeds(const std::vector<Column>& columns) {
  Index most = 0;
  for (const Column& column : columns) {
    for (const Group& group : column) most = std::max(most, group.summary.n);
  }
  return most;
}

std::vector<std::pair<std::string, std::vector<Score>>> baselines(const ExperimentResult& result,
                                                                  const std::string& metric) {
  std::vector<std::pair<std::string, std::vector<Score>>> all;
  for (const Score& score : result.references) {
    if (score.metric != metric) continue;
    if (all.empty() || all.back().first != score.row) all.push_back({score.row, {}});
    all.back().second.push_back(score);
  }
  return all;
}

PairedComparison compare_groups(const Group& left, const Group& right, const MetricSpec& metric) {
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

Differences::Differences(const MetricSpec& metric, const std::vector<Column>& columns, Index looks)
    : lower_is_better_(metric.lower_is_better()) {
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const Column& rows = columns[c];
    for (std::size_t left = 0; left < rows.size(); ++left) {
      for (std::size_t right = left + 1; right < rows.size(); ++right) {
        if (rows[left].is_ranked() && rows[right].is_ranked())
          pairs_[{c, left, right}] = compare_groups(rows[left], rows[right], metric);
      }
    }
  }
  std::vector<PairedComparison*> all;
  for (auto& [where, pairs] : pairs_) all.push_back(&pairs);
  tests_ = looks * std::ssize(all);
  correct(all, tests_ - std::ssize(all));
}

PairedComparison Differences::better(std::size_t column, std::size_t left, std::size_t right) const {
  PairedComparison pairs = pairs_.at({column, std::min(left, right), std::max(left, right)});
  const bool turned = (left > right) != lower_is_better_;  // lower - higher is good if lower is better
  if (!turned) return pairs;
  pairs.effect = -pairs.effect;
  pairs.low = -std::exchange(pairs.high, -pairs.low);
  if (pairs.decision != Decision::undecided)
    pairs.decision = pairs.decision == Decision::holds ? Decision::fails : Decision::holds;
  return pairs;
}

std::optional<Index> successes(const Group& group, const MetricSpec& metric) {
  const auto succeed = std::ranges::count_if(group.values, [](double value) { return value >= 0.9; });
  const auto fail = std::ranges::count_if(group.values, [](double value) { return value <= 0.1; });
  const bool mixed = succeed > 0 && fail > 0;
  const bool alike = group.summary.sd == 0.0;
  if (!metric.is_fraction() || succeed + fail < group.summary.n || !(mixed || alike)) return std::nullopt;
  return succeed;
}

std::string share_text(Index count, Index of) {
  if (of < fewest_for_intervals) return fmt::format("{} of {}", count, of);
  const Interval share = clopper_pearson(count, of);
  return fmt::format("{} of {}, {:.2f} to {:.2f}", count, of, share.low, share.high);
}

std::optional<std::size_t> best_row(const Column& column, const MetricSpec& metric) {
  std::optional<std::size_t> best;
  for (std::size_t row = 0; row < column.size(); ++row) {
    if (!column[row].is_ranked()) continue;
    const double mean = column[row].summary.mean;
    const double top = best ? column[*best].summary.mean : not_a_number;
    if (!best || (metric.lower_is_better() ? mean < top : mean > top)) best = row;
  }
  return best;
}

std::string multiple_of(Index length, Index train_length) {
  if (train_length == 0) return "";
  return fmt::format("{:.4g}x", static_cast<double>(length) / static_cast<double>(train_length));
}

double margin_of(const MetricSpec& metric) { return metric.measure == Measure::bits ? 0.05 : 0.02; }

std::string trained_lengths(const ExperimentResult& result) {
  std::string first =
      std::to_string(result.train_length) + (result.mixture.empty() ? "" : ", " + result.mixture);
  if (result.longest_trained <= result.train_length) return first;
  return fmt::format("{}, in a second stage up to {}", first, result.longest_trained);
}

}  // namespace ordinal::experiments

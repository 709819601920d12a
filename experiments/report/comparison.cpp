#include "experiments/report/comparison.h"

#include <fmt/format.h>

#include <cctype>
#include <cmath>

namespace ordinal::experiments {
namespace {

// A message without the name of the class that threw it: "LearnedPositionalEncoding: sequence length …".
std::string without_class(const std::string& message) {
  const std::size_t colon = message.find(": ");
  const bool is_class = !message.empty() && std::isupper(static_cast<unsigned char>(message[0])) != 0 &&
                        message.find_first_of(" (") > colon;
  return is_class && colon != std::string::npos ? message.substr(colon + 2) : message;
}

void add_score(Group& group, const Score& score) {
  if (score.failed) {
    if (group.failed++ == 0) group.why = without_class(score.why);
  } else if (!std::isfinite(score.value)) {
    ++group.diverged;
  } else {
    group.targets = group.values.empty() ? score.tokens : std::min(group.targets, score.tokens);
    group.seeds.push_back(score.seed);
    group.values.push_back(score.value);
    if (score.error > group.error) group.error = score.error;
  }
}

bool holds(const Comparison& comparison) { return comparison.decision == Decision::holds; }

}  // namespace

std::vector<RowInfo> rows_of(const ExperimentResult& result) {
  std::vector<RowInfo> rows = result.rows;
  std::erase_if(rows, [&](const RowInfo& row) { return learning_of(result, row.label).cells == 0; });
  return rows;
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
    if (score != nullptr) add_score(group, *score);  // else no targets belong to it
  }
  group.summary = summarize(group.values);
  return group;
}

std::vector<std::string> readers_of(const ExperimentResult& result, const MetricSpec& metric) {
  std::vector<std::string> readers;
  for (const Score& score : result.references) {
    if (score.metric == metric.id && (readers.empty() || readers.back() != score.row))
      readers.push_back(score.row);
  }
  return readers;
}

Group reader_at(const ExperimentResult& result, const std::string& reader, Index length,
                const MetricSpec& metric) {
  Group group;
  for (const Score& score : result.references)
    if (score.row == reader && score.length == length && score.metric == metric.id) add_score(group, score);
  group.summary = summarize(group.values);
  return group;
}

Column column_of(const ExperimentResult& result, const MetricSpec& metric, Index length) {
  Column column;
  for (const RowInfo& row : rows_of(result))
    column.push_back(at(result, row.label, length, result.conditions.front(), metric));
  return column;
}

Index most_seeds(const ExperimentResult& result) {
  Index most = 0;
  for (const RowInfo& row : result.rows) most = std::max(most, learning_of(result, row.label).cells);
  return most;
}

Comparison compare_groups(const Group& left, const Group& right, const MetricSpec& metric) {
  std::vector<double> differences;
  for (std::size_t i = 0; i < left.seeds.size(); ++i) {
    const auto other = std::ranges::find(right.seeds, left.seeds[i]) - right.seeds.begin();
    if (other == std::ssize(right.seeds)) continue;
    const double difference = left.values[i] - right.values[static_cast<std::size_t>(other)];
    differences.push_back(metric.lower_is_better() ? -difference : difference);
  }
  return compare(std::move(differences));
}

Family::Family(const ExperimentResult& result) {
  for (const MetricSpec& metric : headlines(result.metrics)) {
    const Column& rows = columns_[metric.id] = column_of(result, metric, result.lengths.back());
    for (std::size_t left = 0; left < rows.size(); ++left) {
      for (std::size_t right = left + 1; right < rows.size(); ++right) {
        if (rows[left].is_ranked() && rows[right].is_ranked())
          pairs_[{metric.id, {left, right}}] = compare_groups(rows[left], rows[right], metric);
      }
    }
  }
  std::vector<Comparison*> all;
  for (auto& [where, pair] : pairs_) all.push_back(&pair);
  decide(all);
}

Comparison Family::better(const std::string& metric, std::size_t left, std::size_t right) const {
  const Comparison& pair = pairs_.at({metric, {std::min(left, right), std::max(left, right)}});
  return left < right ? pair : pair.turned();
}

std::set<std::size_t> Family::best(const MetricSpec& metric) const {
  const auto column = columns_.find(metric.id);
  const auto best = column == columns_.end() ? std::nullopt : best_row(column->second, metric);
  if (!best) return {};
  std::set<std::size_t> rows;
  std::size_t beaten = 0;
  for (std::size_t row = 0; row < column->second.size(); ++row) {
    if (!column->second[row].is_ranked()) continue;
    const bool is_beaten = row != *best && holds(better(metric.id, *best, row));
    is_beaten ? void(++beaten) : void(rows.insert(row));
  }
  return beaten > 0 ? rows : std::set<std::size_t>{};
}

std::string learned_text(const Learning& learning) {
  const Interval share = clopper_pearson(learning.learned, learning.known());
  return fmt::format("{}/{} ({:.2f} to {:.2f})", learning.learned, learning.cells, share.low, share.high);
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

std::string trained_lengths(const ExperimentResult& result) {
  std::string first =
      std::to_string(result.train_length) + (result.mixture.empty() ? "" : ", " + result.mixture);
  if (result.longest_trained <= result.train_length) return first;
  return fmt::format("{}, in a second stage up to {}", first, result.longest_trained);
}

}  // namespace ordinal::experiments

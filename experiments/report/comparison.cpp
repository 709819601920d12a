#include "experiments/report/comparison.h"

#include <fmt/format.h>

#include <cctype>
#include <cmath>

#include "experiments/tasks/reader.h"

namespace ordinal::experiments {
namespace {

// A message without the name of the class that threw it: "LearnedPositionalEncoding: sequence length …".
std::string without_class(const std::string& message) {
  const std::size_t colon = message.find(": ");
  const bool is_class = !message.empty() && std::isupper(static_cast<unsigned char>(message[0])) != 0 &&
                        message.find_first_of(" (") > colon;
  return is_class && colon != std::string::npos ? message.substr(colon + 2) : message;
}

void count(Learning& learning, const Score& score) {
  ++learning.seeds;
  if (score.learned) ++(*score.learned ? learning.learned : learning.not_learned);
}

void add_score(Group& group, const Score& score) {
  count(group.learning, score);
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

// Not decided yet.
Ranking ranking_of(const Column& column, const MetricSpec& metric) {
  Ranking ranking{metric, column};
  std::vector<std::size_t>& ranked = ranking.ranked;
  for (std::size_t row = 0; row < column.size(); ++row)
    if (column[row].is_ranked()) ranked.push_back(row);
  std::ranges::stable_sort(ranked, [&](std::size_t one, std::size_t other) {
    return !metric.reached(column[other].summary.mean, column[one].summary.mean);
  });
  for (auto row = ranked.begin(); row != ranked.end(); ++row)
    for (auto other = row + 1; other != ranked.end(); ++other)
      ranking.pairs.push_back({*row, *other, compare_groups(column[*row], column[*other], metric)});
  return ranking;
}

}  // namespace

Learning learning_of(const ExperimentResult& result, const std::string& row) {
  Learning learning;
  for (const CellResult& cell : result.cells)
    if (cell.row == row && !cell.scores.empty()) count(learning, cell.scores.front());
  return learning;
}

Group grouped(const std::vector<const Score*>& scores) {
  Group group;
  for (const Score* score : scores) add_score(group, *score);
  group.summary = summarize(group.values);
  return group;
}

Group at(const ExperimentResult& result, const std::string& row, Index length, const std::string& condition,
         const MetricSpec& metric) {
  std::vector<const Score*> scores;
  for (const CellResult& cell : result.cells) {
    if (cell.row != row) continue;
    const Score* score = score_at(cell.scores, metric.id, length, condition);
    if (score != nullptr) scores.push_back(score);  // else no targets belong to it
  }
  return grouped(scores);
}

std::vector<std::string> readers_of(const ExperimentResult& result, const MetricSpec& metric) {
  std::vector<std::string> readers;
  for (const Score& score : result.references) {
    if (score.metric.id == metric.id && (readers.empty() || readers.back() != score.row))
      readers.push_back(score.row);
  }
  return readers;
}

Group reader_at(const ExperimentResult& result, const std::string& reader, Index length,
                const MetricSpec& metric) {
  std::vector<const Score*> scores;
  for (const Score& score : result.references)
    if (score.row == reader && score.length == length && score.metric.id == metric.id)
      scores.push_back(&score);
  return grouped(scores);
}

const Score* best_reader(const std::vector<Score>& scores, const std::string& task, Index length,
                         const MetricSpec& metric) {
  const Score* best = nullptr;
  for (const Score& score : scores) {
    const bool counts = score.of_reader && knows_at_most(score.row, Knows::order) &&
                        is_about(score.row, task) && score.length == length && score.metric.id == metric.id &&
                        std::isfinite(score.value) && score.tokens >= fewest_targets;
    if (counts && (best == nullptr || !score.metric.reached(best->value, score.value))) best = &score;
  }
  return best;
}

std::vector<const Score*> best_readers(const ExperimentResult& result, const MetricSpec& metric) {
  std::vector<const Score*> readers;
  for (const RowInfo& row : result.rows) {
    const Score* best = best_reader(result.references, row.task, result.lengths.back(), metric);
    if (best != nullptr && std::ranges::count(readers, best) == 0) readers.push_back(best);
  }
  return readers;
}

Column column_of(const ExperimentResult& result, const MetricSpec& metric, Index length) {
  Column column;
  for (const RowInfo& row : result.rows)
    column.push_back(at(result, row.label, length, result.conditions.front(), metric));
  return column;
}

Index most_seeds(const ExperimentResult& result) {
  Index most = 0;
  for (const RowInfo& row : result.rows) most = std::max(most, learning_of(result, row.label).seeds);
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

std::set<std::size_t> Ranking::best() const {
  std::set<std::size_t> rows(ranked.begin(), ranked.end());
  for (const Pair& pair : of_first())
    if (pair.by.decision == Decision::holds) rows.erase(pair.other);
  return rows.size() < ranked.size() ? rows : std::set<std::size_t>{};
}

std::vector<Ranking> rankings_of(const ExperimentResult& result) {
  std::vector<Ranking> rankings;
  for (const MetricSpec& metric : headlines(result.metrics))
    rankings.push_back(ranking_of(column_of(result, metric, result.lengths.back()), metric));
  std::vector<Comparison*> all;
  for (Ranking& ranking : rankings)
    for (Pair& pair : ranking.pairs) all.push_back(&pair.by);
  decide(all);
  return rankings;
}

std::string gate_text(const ExperimentResult& result) {
  std::vector<std::pair<std::string, std::string>> gates;  // text, task
  for (const RowInfo& row : result.rows)
    if (row.gate && std::ranges::count(gates, std::pair(row.gate->text, row.task)) == 0)
      gates.emplace_back(row.gate->text, row.task);
  const bool is_one =
      std::ranges::all_of(gates, [&](const auto& gate) { return gate.first == gates[0].first; });
  std::vector<std::string> texts;
  for (const auto& [text, task] : gates)
    texts.push_back(is_one ? text : fmt::format("of {}, {}", task, text));
  return is_one && !texts.empty() ? texts.front() : joined(texts, "; ");
}

std::string learned_text(const Learning& learning) {
  if (learning.known() == 0) return "unknown";
  const Interval share = clopper_pearson(learning.learned, learning.known());
  const Index unknown = learning.seeds - learning.known();
  return fmt::format("{}/{} ({:.2f} to {:.2f}){}", learning.learned, learning.known(), share.low, share.high,
                     unknown > 0 ? fmt::format(", {} unknown", unknown) : "");
}

std::string multiple_of(Index length, Index train_length) {
  if (train_length == 0) return "";
  return fmt::format("{:.4g}x", static_cast<double>(length) / static_cast<double>(train_length));
}

}  // namespace ordinal::experiments

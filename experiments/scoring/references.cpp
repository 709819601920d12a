#include "experiments/scoring/references.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <stdexcept>

#include "experiments/scoring/scoring.h"
#include "experiments/scoring/tally.h"
#include "experiments/tasks/reader.h"
#include "framework/core/text.h"

namespace ordinal::experiments {
namespace {

TokenScores scores_of(const Read& read, const Examples& examples, Index train_tokens) {
  const auto& [batch, labels] = examples;
  TokenScores scores{std::vector<double>(batch.targets.size()), std::vector<char>(batch.targets.size())};
  for (std::size_t i = 0; i < batch.targets.size(); ++i) {
    if (batch.targets[i] == ignore_index) continue;
    const std::size_t place = i % static_cast<std::size_t>(batch.seq_len);
    const TargetScore score = read({std::span(batch.tokens).subspan(i - place, place + 1), batch.targets[i],
                                    labels.empty() ? Label{} : labels[i], train_tokens});
    scores.losses[i] = score.loss;
    scores.hits[i] = score.hit ? static_cast<char>(*score.hit) : unknown_hit;
  }
  return scores;
}

// "accuracy of at least 0.9 at the training length"
LearningGate gate_at(const MetricSpec& metric, double threshold, const std::string& shown) {
  return {metric, threshold,
          fmt::format("{} of {} {} at the training length", metric.title(false),
                      metric.lower_is_better() ? "at most" : "at least", shown)};
}

// Throws what check_gate() throws.
MetricSpec gate_metric(const Task& task, const Gate& gate, double threshold) {
  const std::vector<MetricSpec> metrics = task.metrics();
  const auto metric = std::ranges::find(metrics, gate.metric, &MetricSpec::id);
  if (metric == metrics.end())
    throw std::invalid_argument(fmt::format("Task::gate: got metric '{}', expected one of its metrics: {}",
                                            gate.metric, joined(ids_of(metrics))));
  if (!gate.reader.empty() && reader_of(gate.reader) == nullptr)
    throw std::invalid_argument(fmt::format(
        "Task::gate: got reader '{}', expected the name of one (experiments/tasks/reader.h)", gate.reader));
  if (!metric->is_possible(threshold))
    throw ConfigError(fmt::format("evaluate.gate: got {}, expected at most 1: it is a threshold of {}",
                                  threshold, metric->title()));
  return *metric;
}

}  // namespace

std::vector<Score> reference_scores(const Task& task, const Settings& settings,
                                    const std::vector<Index>& lengths, std::uint64_t validation_seed) {
  const Index train_length = settings->task.train_length;
  const Index train_tokens = task.seq_len(train_length);
  const std::vector<MetricSpec> metrics = task.metrics();
  std::vector<Read> reads;
  for (const Reader& reader : readers().entries()) reads.push_back(reader.build(task, train_length));
  std::vector<std::vector<Score>> by_reader(reads.size());
  for (const Index length : lengths) {  // so that only its examples are in memory
    const Examples examples = make_examples(task, Split::validation, validation_seed, 0,
                                            examples_to_score(task, settings, length), length);
    for (std::size_t i = 0; i < reads.size(); ++i) {
      const Reader& reader = readers().entries()[i];
      const Index part = reader.shows_part;
      const std::string row = reader.name + (part > 0 ? fmt::format(" {}", train_tokens / part) : "");
      Tally tally(metrics, task.seq_len(length), train_tokens);
      tally.add(examples.batch, scores_of(reads[i], examples, train_tokens), examples.labels);
      std::ranges::copy_if(tally.scores({.row = row, .of_reader = true, .length = length, .learned = true}),
                           std::back_inserter(by_reader[i]),
                           [](const Score& score) { return std::isfinite(score.value); });
    }
  }
  std::vector<Score> references;
  for (std::vector<Score>& own : by_reader) std::ranges::move(own, std::back_inserter(references));
  return references;
}

MetricSpec deciding_metric(const Task& task) {
  const std::optional<Gate> gate = task.gate();
  return gate ? gate_metric(task, *gate, 0.0) : headlines(task.metrics()).front();
}

void check_gate(const Task& task, double threshold) {
  if (const std::optional<Gate> gate = task.gate()) gate_metric(task, *gate, threshold);
}

std::optional<LearningGate> learning_gate(const Task& task, Index train_length,
                                          const std::vector<Score>& references, double threshold) {
  const std::optional<Gate> gate = task.gate();
  if (!gate) return std::nullopt;
  const MetricSpec metric = gate_metric(task, *gate, threshold);
  const auto score_of = [&](const auto& is_meant) {
    const auto found = std::ranges::find_if(references, [&](const Score& score) {
      return is_meant(score.row) && score.length == train_length && score.metric.id == metric.id;
    });
    return found == references.end() ? not_a_number : found->value;
  };
  if (threshold == 0.0 && !gate->reader.empty()) {
    const double value = score_of([&](const std::string& row) { return row == gate->reader; });
    const std::string whose = fmt::format("the score of the {} baseline", gate->reader);
    if (std::isnan(value)) return gate_at(metric, value, whose);
    LearningGate of_reader = gate_at(metric, value, fmt::format("{:.3f}", value));
    of_reader.text += ", " + whose;
    return of_reader;
  }
  const double fixed = threshold != 0.0 ? threshold : gate->threshold;
  const double oracle = score_of([](const std::string& row) { return !knows_at_most(row, Knows::sources); });
  if (!std::isnan(oracle) && !metric.reached(oracle, fixed))
    throw ConfigError(
        fmt::format("evaluate.gate: got {}, expected one that can be reached: the oracle has {:.4g} {}",
                    fixed, oracle, metric.id));
  return gate_at(metric, fixed, number_text(fixed));
}

}  // namespace ordinal::experiments

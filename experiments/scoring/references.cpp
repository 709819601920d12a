#include "experiments/scoring/references.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "experiments/scoring/scoring.h"
#include "experiments/scoring/tally.h"
#include "experiments/tasks/reader.h"

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

MetricSpec metric_of(const Task& task, const std::string& id) {
  const std::vector<MetricSpec> metrics = task.metrics();
  return *std::ranges::find(metrics, id, &MetricSpec::id);
}

// "accuracy of at least 0.9 at the training length"
LearningGate gate_at(const MetricSpec& metric, double threshold, const std::string& shown) {
  return {metric.id, threshold,
          fmt::format("{} of {} {} at the training length", metric.title(false),
                      metric.lower_is_better() ? "at most" : "at least", shown)};
}

}  // namespace

std::vector<Score> reference_scores(const Task& task, const Settings& settings,
                                    const std::vector<Index>& lengths, std::uint64_t validation_seed) {
  const Index train_length = settings.integer("task.train_length");
  const Index train_tokens = task.seq_len(train_length);
  const std::vector<MetricSpec> metrics = task.metrics();
  std::vector<Examples> examples;
  for (const Index length : lengths)
    examples.push_back(
        validation_examples(task, validation_seed, examples_to_score(task, settings, length), length));
  std::vector<Score> references;
  for (const Reader& reader : readers()) {
    const Read read = reader.build(task, train_length);
    const Index part = reader.shows_part;
    const std::string row = reader.name + (part > 0 ? fmt::format(" {}", train_tokens / part) : "");
    for (std::size_t i = 0; i < lengths.size(); ++i) {
      Tally tally(metrics, task.seq_len(lengths[i]), train_tokens);
      tally.add(examples[i].batch, scores_of(read, examples[i], train_tokens), examples[i].labels);
      std::ranges::copy_if(tally.scores({.row = row, .length = lengths[i]}), std::back_inserter(references),
                           [](const Score& score) { return std::isfinite(score.value); });
    }
  }
  return references;
}

std::optional<LearningGate> common_gate(const std::vector<const Task*>& tasks, double threshold) {
  std::optional<LearningGate> common;
  for (const Task* task : tasks) {
    std::optional<Gate> gate = task->gate();
    if (!gate || (threshold == 0.0 && !gate->reader.empty())) return std::nullopt;
    const MetricSpec metric = metric_of(*task, gate->metric);
    if (threshold != 0.0) gate->threshold = threshold;
    if (metric.is_fraction() && gate->threshold > 1.0)
      throw ConfigError(fmt::format("evaluate.gate: got {}, expected at most 1: it is a threshold of {}",
                                    threshold, metric.title()));
    const LearningGate own = gate_at(metric, gate->threshold, number_text(gate->threshold));
    if (common && common->text != own.text) return std::nullopt;
    common = own;
  }
  return common;
}

std::optional<LearningGate> learning_gate(const Task& task, Index train_length,
                                          const std::vector<Score>& references, double threshold) {
  const std::optional<Gate> gate = task.gate();
  if (!gate || score_at(references, gate->metric, train_length) == nullptr) return std::nullopt;
  const std::optional<LearningGate> fixed = common_gate({&task}, threshold);
  const MetricSpec metric = metric_of(task, gate->metric);
  const auto reader = std::ranges::find_if(references, [&](const Score& score) {
    return score.row == (fixed ? "oracle" : gate->reader) && score.length == train_length &&
           score.metric == metric.id;
  });
  if (!fixed) {
    LearningGate of_reader = gate_at(metric, reader->value, fmt::format("{:.3f}", reader->value));
    of_reader.text += fmt::format(", the score of the {} baseline", gate->reader);
    return of_reader;
  }
  if (reader != references.end() && !metric.reached(reader->value, fixed->threshold))
    throw ConfigError(
        fmt::format("evaluate.gate: got {}, expected one that can be reached: the oracle has {:.4g} {}",
                    fixed->threshold, reader->value, fixed->metric));
  return fixed;
}

}  // namespace ordinal::experiments

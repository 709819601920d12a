#include "experiments/scoring/references.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <numbers>

#include "experiments/scoring/scoring.h"
#include "experiments/scoring/tally.h"
#include "experiments/tasks/ngram.h"

namespace ordinal::experiments {
namespace {

constexpr Index counted_tokens = 400'000;  // used to count n-grams
constexpr std::array<std::pair<const char*, Index>, 4> orders = {
    {{"uniform", 0}, {"unigram", 1}, {"bigram", 2}, {"4-gram", 4}}};

// Hits of uniform guessing depend only on the order of tokens. The oracle hits the targets that it is certain
// of, so its accuracy is known only if it is certain of all. A value is not finite if the reader gives no
// probabilities, or has no answer for some targets.
bool says_something(const std::string& label, const MetricSpec& metric, double value) {
  if (!std::isfinite(value)) return false;
  if (metric.lower_is_better()) return true;
  return label == "oracle" ? value == 1.0 : label != "uniform";
}

TokenScores oracle_scores(const Examples& examples) {
  TokenScores scores;
  for (const Label& label : examples.labels) {
    scores.losses.push_back(label.oracle_bits * std::numbers::ln2);
    scores.hits.push_back(label.oracle_bits == 0.0 ? 1 : 0);
  }
  return scores;
}

// Whether an answer is right, where a reader has one.
using Answer = std::function<std::optional<bool>(const Label&)>;

TokenScores scores_of(const Examples& examples, const Answer& answer) {
  constexpr double no_probabilities = std::numeric_limits<double>::infinity();
  TokenScores scores;
  for (const Label& label : examples.labels) {
    const std::optional<bool> right = answer(label);
    scores.losses.push_back(right ? no_probabilities : not_a_number);
    scores.hits.push_back(right.value_or(false) ? 1 : 0);
  }
  return scores;
}

struct Reader {
  std::string label;
  std::function<TokenScores(const Examples&)> read;
};

// A task without classes has no oracle.
std::vector<Reader> readers_of(const Task& task, Index train_length) {
  const Index examples = std::max<Index>(1, counted_tokens / task.seq_len(train_length));
  std::vector<Reader> readers;
  for (const auto& [label, order] : orders) {
    const auto ngrams = std::make_shared<NgramReader>(task, order, train_length, examples);
    readers.push_back({label, [ngrams](const Examples& all) { return ngrams->score(all.batch); }});
  }
  const auto add = [&](const std::string& label, const Answer& answer) {
    readers.push_back({label, [answer](const Examples& all) { return scores_of(all, answer); }});
  };
  const auto has_sources = [](const MetricSpec& metric) { return metric.sources != SourceRange::any; };
  if (std::ranges::any_of(task.metrics(), has_sources)) {
    const Index tokens = task.seq_len(train_length);
    add("majority", [](const Label& label) { return label.majority; });
    add("draw", [](const Label& label) { return label.draw; });
    add(fmt::format("last {}", tokens),
        [tokens](const Label& label) { return label.draw && label.source <= tokens ? true : label.draw; });
  }
  if (!task.classes().empty()) readers.push_back({"oracle", oracle_scores});
  return readers;
}

MetricSpec metric_of(const Task& task, const std::string& id) {
  const std::vector<MetricSpec> metrics = task.metrics();
  return *std::ranges::find(metrics, id, &MetricSpec::id);
}

// "accuracy of at least 0.9 at the training length"
std::string gate_text(const MetricSpec& metric, const std::string& threshold) {
  return fmt::format("{} of {} {} at the training length", metric.title(false),
                     metric.lower_is_better() ? "at most" : "at least", threshold);
}

// The task's gate, or its metric with another threshold.
std::optional<Gate> gate_of(const Task& task, double threshold) {
  std::optional<Gate> gate = task.gate();
  if (!gate || threshold == 0.0) return gate;
  const MetricSpec metric = metric_of(task, gate->metric);
  if (!metric.is_fraction() || threshold <= 1.0) return Gate{.metric = gate->metric, .threshold = threshold};
  throw ConfigError(fmt::format("evaluate.gate: got {}, expected at most 1: it is a threshold of {}",
                                threshold, metric.title()));
}

LearningGate fixed_gate(const Task& task, const Gate& gate) {
  return {gate.metric, gate.threshold,
          gate_text(metric_of(task, gate.metric), fmt::format("{}", gate.threshold))};
}

}  // namespace

std::vector<Score> reference_scores(const Task& task, const Settings& settings,
                                    const std::vector<Index>& lengths, std::uint64_t validation_seed) {
  const Index train_length = settings.integer("task.train_length");
  const std::vector<MetricSpec> metrics = task.metrics();
  std::vector<Examples> examples;
  for (const Index length : lengths)
    examples.push_back(
        validation_examples(task, validation_seed, examples_to_score(task, settings, length), length));
  std::vector<Score> references;
  for (const Reader& reader : readers_of(task, train_length)) {
    for (std::size_t i = 0; i < lengths.size(); ++i) {
      Tally tally(metrics, task.seq_len(lengths[i]), task.seq_len(train_length));
      tally.add(examples[i].batch, reader.read(examples[i]), examples[i].labels);
      for (Score& score : tally.scores({.row = reader.label, .length = lengths[i]})) {
        const auto metric = std::ranges::find(metrics, score.metric, &MetricSpec::id);
        if (says_something(reader.label, *metric, score.value)) references.push_back(std::move(score));
      }
    }
  }
  return references;
}

std::optional<LearningGate> common_gate(const std::vector<const Task*>& tasks, double threshold) {
  std::optional<LearningGate> common;
  for (const Task* task : tasks) {
    const std::optional<Gate> gate = gate_of(*task, threshold);
    if (!gate || !gate->reader.empty()) return std::nullopt;
    const LearningGate own = fixed_gate(*task, *gate);
    if (common && common->text != own.text) return std::nullopt;
    common = own;
  }
  return common;
}

std::optional<LearningGate> learning_gate(const Task& task, Index train_length,
                                          const std::vector<Score>& references, double threshold) {
  const std::optional<Gate> gate = gate_of(task, threshold);
  const bool scored = std::ranges::count(references, train_length, &Score::length) > 0;
  if (!gate || !scored) return std::nullopt;
  const MetricSpec metric = metric_of(task, gate->metric);
  const auto score_of = [&](const std::string& reader) {
    return std::ranges::find_if(references, [&](const Score& one) {
      return one.row == reader && one.length == train_length && one.metric == metric.id;
    });
  };
  if (!gate->reader.empty()) {
    const double value = score_of(gate->reader)->value;
    return LearningGate{metric.id, value,
                        fmt::format("{}, the score of the {} baseline",
                                    gate_text(metric, fmt::format("{:.3f}", value)), gate->reader)};
  }
  const auto oracle = score_of("oracle");
  if (oracle != references.end() && !metric.reached(oracle->value, gate->threshold))
    throw ConfigError(
        fmt::format("evaluate.gate: got {}, expected one that can be reached: the oracle has {:.4g} {}",
                    gate->threshold, oracle->value, gate->metric));
  return fixed_gate(task, *gate);
}

}  // namespace ordinal::experiments

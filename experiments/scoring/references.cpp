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

// The loss in nats, and whether the answer is right.
using Read = std::function<std::pair<double, bool>(const Label&)>;

// Of a reader that gives no probabilities, and has no answer for some targets.
std::pair<double, bool> guessed(const std::optional<bool>& right) {
  return {right ? std::numeric_limits<double>::infinity() : not_a_number, right.value_or(false)};
}

struct Reader {
  std::string label;
  std::function<TokenScores(const Examples&)> score;
};

// Only a task that labels its targets has an oracle.
std::vector<Reader> readers_of(const Task& task, Index train_length) {
  const Index tokens = task.seq_len(train_length);
  std::vector<Reader> readers;
  for (const auto& [label, order] : orders) {
    const auto ngrams =
        std::make_shared<NgramReader>(task, order, train_length, std::max<Index>(1, counted_tokens / tokens));
    readers.push_back({label, [ngrams](const Examples& all) { return ngrams->score(all.batch); }});
  }
  const auto add = [&](const std::string& label, const Read& read) {
    readers.push_back({label, [read](const Examples& all) {
                         TokenScores scores;
                         for (const Label& one : all.labels) {
                           const auto [loss, hit] = read(one);
                           scores.losses.push_back(loss);
                           scores.hits.push_back(hit ? 1 : 0);
                         }
                         return scores;
                       }});
  };
  const auto has_sources = [](const MetricSpec& metric) { return metric.sources != SourceRange::any; };
  if (std::ranges::any_of(task.metrics(), has_sources)) {
    add("majority", [](const Label& label) { return guessed(label.majority); });
    add("draw", [](const Label& label) { return guessed(label.draw); });
    add(fmt::format("last {}", tokens), [tokens](const Label& label) {
      return guessed(label.draw && label.source <= tokens ? true : label.draw);
    });
  }
  if (!task.labels({}, train_length).empty()) {
    add("oracle", [](const Label& label) {
      return std::pair(label.oracle_bits * std::numbers::ln2, label.oracle_bits == 0.0);
    });
  }
  return readers;
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
  const std::vector<MetricSpec> metrics = task.metrics();
  std::vector<Examples> examples;
  for (const Index length : lengths)
    examples.push_back(
        validation_examples(task, validation_seed, examples_to_score(task, settings, length), length));
  std::vector<Score> references;
  for (const Reader& reader : readers_of(task, train_length)) {
    for (std::size_t i = 0; i < lengths.size(); ++i) {
      Tally tally(metrics, task.seq_len(lengths[i]), task.seq_len(train_length));
      tally.add(examples[i].batch, reader.score(examples[i]), examples[i].labels);
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
  const bool scored = std::ranges::count(references, train_length, &Score::length) > 0;
  if (!gate || !scored) return std::nullopt;
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

#include "experiments/runs/scoring.h"

#include <algorithm>
#include <numbers>
#include <stdexcept>

#include "framework/training/evaluation.h"

namespace ordinal {
namespace {

constexpr std::uint64_t validation_seed = 0;  // every model is scored on the same examples

// Sums over scored tokens, by position.
struct Sums {
  std::vector<double> bits;
  std::vector<double> hits;
  std::vector<double> counts;

  explicit Sums(Index seq_len)
      : bits(static_cast<std::size_t>(seq_len)), hits(bits.size()), counts(bits.size()) {}
};

double total(const std::vector<double>& values, std::size_t first = 0) {
  double sum = 0.0;
  for (std::size_t i = first; i < values.size(); ++i) sum += values[i];
  return sum;
}

Index examples_to_score(const Task& task, const Settings& settings, Index length) {
  const Index training_tokens =
      settings.integer("train.batch") * task.seq_len(settings.integer("task.train_length"));
  const Index given = settings.integer("evaluate.batch");
  const Index batch = given > 0 ? given : std::max<Index>(1, training_tokens / task.seq_len(length));
  return std::min(settings.integer("evaluate.batches") * batch, task.evaluation_examples(length));
}

void add(const Batch& batch, const TokenScores& scores, Sums& sums) {
  for (std::size_t i = 0; i < batch.targets.size(); ++i) {
    if (batch.targets[i] == ignore_index) continue;
    const std::size_t position = i % static_cast<std::size_t>(batch.seq_len);
    sums.bits[position] += scores.losses[i] / std::numbers::ln2;
    sums.hits[position] += scores.hits[i];
    sums.counts[position] += 1.0;
  }
}

LengthScore score_of(const Sums& sums, Metric metric, Index length, Index train_tokens) {
  const std::vector<double>& measured = metric == Metric::accuracy ? sums.hits : sums.bits;
  const auto past = static_cast<std::size_t>(std::min(train_tokens, std::ssize(sums.counts)));
  LengthScore score;
  score.length = length;
  score.tokens = static_cast<Index>(total(sums.counts));
  if (score.tokens > 0) score.value = total(measured) / total(sums.counts);
  if (total(sums.counts, past) > 0.0) score.past_training = total(measured, past) / total(sums.counts, past);
  for (std::size_t i = 0; i < sums.counts.size(); ++i) {
    score.by_position.push_back(sums.counts[i] > 0.0 ? sums.bits[i] / sums.counts[i] : not_a_number);
  }
  return score;
}

}  // namespace

LengthScore score_length(const Transformer<float>& model, const Parameters<float>& values, const Task& task,
                         const Settings& settings, const PositionScheme& positions, Index length,
                         Threads& threads) {
  Evaluator<float> evaluator(model, values, threads, positions);
  Sums sums(task.seq_len(length));
  const Index examples = examples_to_score(task, settings, length);
  const Index at_once = std::max<Index>(threads.count(), settings.integer("train.batch"));
  try {
    for (Index first = 0; first < examples; first += at_once) {
      const Batch batch =
          make_batch(task, Split::validation, validation_seed, 0, std::min(at_once, examples - first), length,
                     static_cast<std::uint32_t>(first));
      add(batch, evaluator.score(batch, static_cast<std::uint32_t>(first)), sums);
    }
  } catch (const std::out_of_range& error) {
    LengthScore failed;
    failed.length = length;
    failed.failed = true;
    failed.why = error.what();
    return failed;
  }
  const Index train_tokens = task.seq_len(settings.integer("task.train_length"));
  return score_of(sums, task.metric(), length, train_tokens);
}

}  // namespace ordinal

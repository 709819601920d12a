#include "experiments/scoring/scoring.h"

#include <algorithm>
#include <iterator>

#include "experiments/conditions/condition.h"
#include "experiments/scoring/tally.h"
#include "framework/core/errors.h"
#include "framework/training/evaluation.h"

namespace ordinal::experiments {
namespace {

void add_scores(const Subject& subject, const Score& at, Threads& threads, CellResult& cell,
                const std::function<bool()>& stopped) {
  const Index length = at.length;
  const TestSetup test =
      test_under(at.condition, subject.model, subject.task, subject.plan.test_positions, length);
  Evaluator<float> evaluator(subject.model, subject.values, threads, test.positions, test.attention, stopped);
  const Index count = examples_to_score(subject.task, subject.evaluation, length);
  Tally tally(subject.task.metrics(), subject.task.seq_len(length), subject.plan.short_seq_len());
  const Index at_once = std::max<Index>(threads.count(), subject.plan.settings.integer("train.batch"));
  for (Index first = 0; first < count; first += at_once) {
    const auto number = static_cast<std::uint32_t>(first);
    Examples examples = validation_examples(subject.task, subject.validation_seed,
                                            std::min(at_once, count - first), length, number);
    const Batch batch = with_positions(std::move(examples.batch), subject.task, test.positions);
    const RandomKey key = validation_positions(subject.validation_seed, number);
    tally.add(batch, score_in_windows(evaluator, batch, test.windows, key), examples.labels);
  }
  for (Score& score : tally.scores(at)) cell.scores.push_back(std::move(score));
  cell.by_position.push_back({length, at.condition, tally.by_position()});
}

}  // namespace

Examples validation_examples(const Task& task, std::uint64_t seed, Index count, Index length,
                             std::uint32_t first) {
  Examples examples{make_batch(task, Split::validation, seed, 0, count, length, first), {}};
  for (std::uint32_t i = 0; i < count; ++i)
    std::ranges::copy(task.labels({Split::validation, seed, 0, first + i}, length),
                      std::back_inserter(examples.labels));
  return examples;
}

Index examples_to_score(const Task& task, const Settings& settings, Index length) {
  const Index training_tokens =
      settings.integer("train.batch") * task.seq_len(settings.integer("task.train_length"));
  const Index given = settings.integer("evaluate.batch");
  const Index batch = given > 0 ? given : std::max<Index>(1, training_tokens / task.seq_len(length));
  return std::min(settings.integer("evaluate.batches") * batch, task.evaluation_examples(length));
}

void score_length(const Subject& subject, Index length, const std::string& condition, Threads& threads,
                  CellResult& cell, const std::function<bool()>& stopped) {
  Score test{.row = cell.row, .seed = cell.seed, .length = length, .condition = condition};
  try {
    return add_scores(subject, test, threads, cell, stopped);
  } catch (const PositionError& error) {
    test.why = error.what();
  } catch (const ConfigError& error) {
    test.why = error.what();
  }
  test.failed = true;
  add_unscored(subject.task, test, cell);
}

void add_unscored(const Task& task, Score test, CellResult& cell) {
  for (const MetricSpec& metric : task.metrics()) {
    test.metric = metric;
    cell.scores.push_back(test);
  }
}

PlacedExample validation_example(const Subject& subject, Index length, std::uint32_t example) {
  const PositionScheme scheme = subject.plan.test_positions;
  Batch batch = validation_examples(subject.task, subject.validation_seed, 1, length, example).batch;
  batch = with_positions(std::move(batch), subject.task, scheme);
  const RandomKey key = validation_positions(subject.validation_seed, example);
  return {batch, batch_positions(scheme, batch, 0, 1, key)};
}

}  // namespace ordinal::experiments

#include "experiments/scoring/scoring.h"

#include <algorithm>
#include <iterator>

#include "experiments/conditions/condition.h"
#include "experiments/scoring/tally.h"
#include "framework/core/errors.h"
#include "framework/training/evaluation.h"

namespace ordinal::experiments {
namespace {

void add_scores(const Subject& subject, const Score& at, const std::vector<Examples>& batches,
                Threads& threads, CellResult& cell, const std::function<bool()>& stopped) {
  const Index length = at.length;
  const TestSetup test =
      test_under(at.condition, subject.model, subject.task, subject.plan.test_positions, length);
  Evaluator<float> evaluator(subject.model, subject.values, threads, test.positions, test.attention, stopped);
  Tally tally(subject.task.metrics(), subject.task.seq_len(length), subject.plan.short_seq_len());
  std::uint32_t first = 0;
  for (const Examples& examples : batches) {
    const Batch batch = with_positions(examples.batch, subject.task, test.positions);
    const RandomKey key = validation_positions(subject.validation_seed, first);
    tally.add(batch, score_in_windows(evaluator, batch, test.windows, key), examples.labels);
    first += static_cast<std::uint32_t>(batch.size);
  }
  for (Score& score : tally.scores(at)) cell.scores.push_back(std::move(score));
  cell.by_position.push_back({length, at.condition, tally.by_position()});
}

}  // namespace

std::vector<Examples> validation_batches(const Subject& subject, Index length, Index at_once) {
  const Index count = examples_to_score(subject.task, subject.evaluation, length);
  std::vector<Examples> batches;
  for (Index first = 0; first < count; first += at_once)
    batches.push_back(make_examples(subject.task, Split::validation, subject.validation_seed, 0,
                                    std::min(at_once, count - first), length,
                                    static_cast<std::uint32_t>(first)));
  return batches;
}

Index examples_to_score(const Task& task, const Settings& settings, Index length) {
  const Index training_tokens = settings->train.batch * task.seq_len(settings->task.train_length);
  const Index given = settings->evaluate.batch;
  const Index batch = given > 0 ? given : std::max<Index>(1, training_tokens / task.seq_len(length));
  return std::min(settings->evaluate.batches * batch, task.evaluation_examples(length));
}

void score_length(const Subject& subject, Index length, const std::string& condition,
                  const std::vector<Examples>& batches, Threads& threads, CellResult& cell,
                  const std::function<bool()>& stopped) {
  Score test{.row = cell.row, .seed = cell.seed, .length = length, .condition = condition};
  try {
    return add_scores(subject, test, batches, threads, cell, stopped);
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

PlacedExample validation_example(const Subject& subject, Index length, const PositionScheme& scheme,
                                 std::uint32_t example) {
  Batch batch = make_batch(subject.task, Split::validation, subject.validation_seed, 0, 1, length, example);
  batch = with_positions(std::move(batch), subject.task, scheme);
  const RandomKey key = validation_positions(subject.validation_seed, example);
  return {batch, batch_positions(scheme, batch, 0, 1, key)};
}

}  // namespace ordinal::experiments

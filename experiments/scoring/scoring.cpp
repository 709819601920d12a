#include "experiments/scoring/scoring.h"

#include <fmt/format.h>

#include <algorithm>

#include "experiments/scoring/tally.h"
#include "experiments/scoring/windows.h"
#include "experiments/settings/condition.h"
#include "framework/core/errors.h"
#include "framework/training/evaluation.h"

namespace ordinal::experiments {
namespace {

// How examples of one length are drawn and run.
struct Setup {
  Index drawn = 0;   // length of the examples that are drawn
  Index scored = 0;  // how many of the last targets of each example count; 0: all
  PositionScheme positions = {};
  AttentionTest attention = {};
  Windows windows = {};
};

void refuse(bool is_wrong, const std::string& what) {
  if (is_wrong) throw ConfigError(what);
}

void require_every_token(const Task& task, Index length) {
  refuse(task.seq_len(1) != 1 || task.seq_len(length) != length,
         "the task scores an answer, expected one that scores every token");
}

void require_causal(const Transformer<float>& model) {
  refuse(!model.is_causal(), "the model is bidirectional, expected a causal one");
}

void require_attention(const Transformer<float>& model) {
  refuse(model.attention_layers() == 0, "the model has no attention, expected a block with some");
}

// As in training, except for what the condition changes. The condition's numbers default to the number of tokens in a
// sequence of the first stage of training.
Setup setup_under(const Condition& condition, const Subject& subject, Index length) {
  const Transformer<float>& model = subject.model;
  const Index seq_len = subject.task.seq_len(length);
  const Index trained = model.config().train_length;
  const auto or_trained = [&](Index given) { return given > 0 ? given : trained; };
  Setup setup{.drawn = length, .positions = subject.plan.test_positions, .windows = {seq_len, seq_len}};
  switch (condition.kind) {
    case Condition::Kind::trained:
      break;
    case Condition::Kind::shifted:
      refuse(setup.positions.entry().has_range,
             fmt::format("positions are {} and fill their range, expected ones that can be shifted",
                         setup.positions.describe(1)));
      setup.positions.offset += static_cast<double>(or_trained(condition.offset));
      break;
    case Condition::Kind::window:
      require_causal(model);
      require_attention(model);
      refuse(model.mixing_layers() > model.attention_layers(),
             "the model also has branches that read past a window, expected attention alone");
      setup.attention.window = or_trained(condition.size);
      break;
    case Condition::Kind::log_n:
      require_attention(model);
      refuse(trained < 2, "the training length is 1, expected at least 2");
      setup.attention.log_n_length = static_cast<double>(trained);
      break;
    case Condition::Kind::last:  // ends of examples of the longest length: the same targets at every length
      setup.drawn = evaluation_lengths(subject.plan.settings).back();
      setup.scored = condition.k;
      require_every_token(subject.task, setup.drawn);
      refuse(setup.scored > length, fmt::format("{} targets exceed the length {}", setup.scored, length));
      break;
    case Condition::Kind::truncated:
      require_causal(model);
      require_every_token(subject.task, length);
      setup.windows.size = or_trained(condition.size);
      setup.windows.stride =
          condition.stride > 0 ? condition.stride : std::max<Index>(setup.windows.size / 2, 1);
      refuse(setup.windows.stride > setup.windows.size,
             fmt::format("stride {} exceeds size {}, which leaves out targets", setup.windows.stride,
                         setup.windows.size));
      break;
  }
  return setup;
}

// The last `length` of every `drawn` values.
template <typename Value>
std::vector<Value> ends_of(const std::vector<Value>& values, Index drawn, Index length) {
  std::vector<Value> ends;
  for (Index end = drawn; end <= std::ssize(values); end += drawn)
    ends.insert(ends.end(), values.begin() + end - length, values.begin() + end);
  return ends;
}

// The ends of examples. Only the last `scored` targets count.
Examples ends_of(Examples all, Index length, Index scored) {
  const Index drawn = all.batch.seq_len;
  for (std::size_t i = 0; i < all.batch.targets.size(); ++i) {
    const Index to_the_end = drawn - static_cast<Index>(i) % drawn;
    if (to_the_end > scored) all.batch.targets[i] = ignore_index;
  }
  const auto cut = [&](const auto& values) { return ends_of(values, drawn, length); };
  return {{all.batch.size, length, cut(all.batch.tokens), cut(all.batch.targets)}, cut(all.labels)};
}

LengthScore scored(const Subject& subject, Index length, const Condition& condition, Threads& threads,
                   const std::function<bool()>& stopped) {
  const Setup setup = setup_under(condition, subject, length);
  Evaluator<float> evaluator(subject.model, subject.values, threads, setup.positions, setup.attention,
                             stopped);
  const Index count = examples_to_score(subject.task, subject.evaluation, setup.drawn);
  Tally tally(subject.task.metrics(), subject.task.seq_len(length), subject.plan.short_seq_len());
  const Index at_once = std::max<Index>(threads.count(), subject.plan.settings.integer("train.batch"));
  for (Index first = 0; first < count; first += at_once) {
    if (stopped && stopped()) throw Stopped();
    const auto number = static_cast<std::uint32_t>(first);
    Examples examples = validation_examples(subject.task, subject.validation_seed,
                                            std::min(at_once, count - first), setup.drawn, number);
    if (setup.scored > 0) examples = ends_of(std::move(examples), length, setup.scored);
    const Batch batch = with_positions(std::move(examples.batch), subject.task, setup.positions);
    const RandomKey key = validation_positions(subject.validation_seed, number);
    tally.add(batch, score_in_windows(evaluator, batch, setup.windows, key), examples.labels);
  }
  return tally.score(length);
}

}  // namespace

Examples validation_examples(const Task& task, std::uint64_t seed, Index count, Index length,
                             std::uint32_t first) {
  return {make_batch(task, Split::validation, seed, 0, count, length, first),
          make_labels(task, Split::validation, seed, 0, count, length, first)};
}

Index examples_to_score(const Task& task, const Settings& settings, Index length) {
  const Index training_tokens =
      settings.integer("train.batch") * task.seq_len(settings.integer("task.train_length"));
  const Index given = settings.integer("evaluate.batch");
  const Index batch = given > 0 ? given : std::max<Index>(1, training_tokens / task.seq_len(length));
  return std::min(settings.integer("evaluate.batches") * batch, task.evaluation_examples(length));
}

LengthScore score_length(const Subject& subject, Index length, const std::string& condition, Threads& threads,
                         const std::function<bool()>& stopped) {
  LengthScore score;
  const auto failed = [&](const std::exception& error) {
    return LengthScore{.length = length, .failed = true, .why = error.what()};
  };
  try {
    score = scored(subject, length, make_condition(condition), threads, stopped);
  } catch (const PositionError& error) {
    score = failed(error);
  } catch (const ConfigError& error) {
    score = failed(error);
  }
  score.condition = condition;
  return score;
}

std::vector<LengthScore> score_all(const Subject& subject, const Settings& row, const std::string& label,
                                   Threads& threads, Progress& progress,
                                   const std::function<bool()>& stopped) {
  std::vector<LengthScore> scores;
  for (const Index length : evaluation_lengths(row)) {
    for (const std::string& condition : row.list("evaluate.conditions")) {
      progress.update(fmt::format("{}  scoring length {}, {}", label, length, condition));
      scores.push_back(score_length(subject, length, condition, threads, stopped));
    }
  }
  return scores;
}

PlacedExample validation_example(const Subject& subject, Index length, std::uint32_t example) {
  const PositionScheme scheme = subject.plan.test_positions;
  Batch batch = validation_examples(subject.task, subject.validation_seed, 1, length, example).batch;
  batch = with_positions(std::move(batch), subject.task, scheme);
  const RandomKey key = validation_positions(subject.validation_seed, example);
  return {batch, batch_positions(scheme, batch, 0, 1, key)};
}

}  // namespace ordinal::experiments

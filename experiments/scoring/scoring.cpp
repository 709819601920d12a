#include "experiments/scoring/scoring.h"

#include <fmt/format.h>

#include <algorithm>

#include "experiments/scoring/tally.h"
#include "experiments/scoring/windows.h"
#include "experiments/settings/choices.h"
#include "experiments/settings/condition.h"
#include "framework/core/errors.h"
#include "framework/training/evaluation.h"

namespace ordinal::experiments {
namespace {

constexpr const char* scores_an_answer = "the task scores an answer, expected one that scores every token";

bool scores_every_token(const Task& task, Index length) {
  return task.seq_len(1) == 1 && task.seq_len(length) == length;
}

// The last `length` of every `drawn` values.
template <typename Value>
std::vector<Value> ends_of(const std::vector<Value>& values, Index drawn, Index length) {
  std::vector<Value> ends;
  for (Index end = drawn; end <= std::ssize(values); end += drawn)
    ends.insert(ends.end(), values.begin() + end - length, values.begin() + end);
  return ends;
}

// Draws examples of one length. Under `last` they are the ends of examples of the longest length, of which only the
// last targets count, so every length is scored on the same targets.
class Drawing {
 public:
  Drawing(const Subject& subject, Index length, const Condition& condition)
      : subject_(subject), length_(length), drawn_(length) {
    if (condition.kind != Condition::Kind::last) return;
    drawn_ = evaluation_lengths(subject.plan.settings).back();
    scored_ = condition.k;
    if (!scores_every_token(subject.task, drawn_)) throw ConfigError(scores_an_answer);
    if (scored_ > length) throw ConfigError(fmt::format("{} targets exceed the length {}", scored_, length));
  }

  Index count() const { return examples_to_score(subject_.task, subject_.evaluation, drawn_); }

  Examples examples(Index first, Index size) const {
    Examples all = validation_examples(subject_.task, subject_.validation_seed, size, drawn_,
                                       static_cast<std::uint32_t>(first));
    if (scored_ == 0) return all;
    for (std::size_t i = 0; i < all.batch.targets.size(); ++i) {
      const Index to_the_end = drawn_ - static_cast<Index>(i) % drawn_;
      if (to_the_end > scored_) all.batch.targets[i] = ignore_index;
    }
    const auto cut = [&](const auto& values) { return ends_of(values, drawn_, length_); };
    return {{size, length_, cut(all.batch.tokens), cut(all.batch.targets)}, cut(all.labels)};
  }

 private:
  const Subject& subject_;
  Index length_;
  Index drawn_;       // length of the examples that are drawn
  Index scored_ = 0;  // targets of each example that count; 0: all
};

PositionScheme shifted(PositionScheme positions, Index offset) {
  if (positions.entry().has_range) {
    throw ConfigError(fmt::format("positions are {} and fill their range, expected ones that can be shifted",
                                  positions.describe(1)));
  }
  positions.offset += static_cast<double>(offset);
  return positions;
}

// `given`, or the tokens of a sequence of the first stage of training.
Index or_train_length(Index given, const Subject& subject) {
  return given > 0 ? given : subject.model.config().train_length;
}

void require_causal(const Subject& subject) {
  if (!subject.model.is_causal()) {
    throw ConfigError("the model is bidirectional, expected a causal one");
  }
}

AttentionTest attention_test(const Subject& subject, const Condition& condition) {
  const bool window = condition.kind == Condition::Kind::window;
  const bool log_n = condition.kind == Condition::Kind::log_n;
  if (window) require_causal(subject);
  if ((window || log_n) && subject.model.attention_layers() == 0) {
    throw ConfigError("the model has no attention, expected a block with some");
  }
  if (window && subject.model.mixing_layers() > subject.model.attention_layers()) {
    throw ConfigError("the model also has branches that read past a window, expected attention alone");
  }
  const Index train_tokens = or_train_length(0, subject);
  if (log_n && train_tokens < 2) throw ConfigError("the training length is 1, expected at least 2");
  AttentionTest attention;
  if (window) attention.window = or_train_length(condition.size, subject);
  if (log_n) attention.log_n_length = static_cast<double>(train_tokens);
  return attention;
}

// One window that holds the whole sequence, unless the condition is `truncated`.
Windows windows_of(const Subject& subject, const Condition& condition, Index length) {
  const Index seq_len = subject.task.seq_len(length);
  if (condition.kind != Condition::Kind::truncated) return {seq_len, seq_len};
  require_causal(subject);
  if (!scores_every_token(subject.task, length)) throw ConfigError(scores_an_answer);
  const Index size = or_train_length(condition.size, subject);
  const Index stride = condition.stride > 0 ? condition.stride : std::max<Index>(size / 2, 1);
  if (stride > size) {
    throw ConfigError(fmt::format("stride {} exceeds size {}, which leaves out targets", stride, size));
  }
  return {size, stride};
}

PositionScheme positions_of(const Subject& subject, const Condition& condition) {
  const PositionScheme positions = subject.plan.test_positions;
  if (condition.kind != Condition::Kind::shifted) return positions;
  return shifted(positions, or_train_length(condition.offset, subject));
}

LengthScore scored(const Subject& subject, Index length, const Condition& condition, Threads& threads,
                   const std::function<bool()>& stopped) {
  const PositionScheme positions = positions_of(subject, condition);
  Evaluator<float> evaluator(subject.model, subject.values, threads, positions,
                             attention_test(subject, condition), stopped);
  const Windows windows = windows_of(subject, condition, length);
  const Drawing drawing(subject, length, condition);
  const Index count = drawing.count();
  Tally tally(subject.task.metrics(), subject.task.seq_len(length), or_train_length(0, subject));
  const Index at_once = std::max<Index>(threads.count(), subject.plan.settings.integer("train.batch"));
  for (Index first = 0; first < count; first += at_once) {
    if (stopped && stopped()) throw Stopped();
    Examples examples = drawing.examples(first, std::min(at_once, count - first));
    const Batch batch = with_positions(std::move(examples.batch), subject.task, positions);
    const RandomKey key = validation_positions(subject.validation_seed, static_cast<std::uint32_t>(first));
    tally.add(batch, score_in_windows(evaluator, batch, windows, key), examples.labels);
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
    score = scored(subject, length, make_condition(condition_text(subject.plan.settings, condition)), threads,
                   stopped);
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

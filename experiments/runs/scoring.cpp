#include "experiments/runs/scoring.h"

#include <fmt/format.h>

#include <algorithm>
#include <numbers>

#include "experiments/runs/configure.h"
#include "experiments/settings/condition.h"
#include "framework/core/errors.h"
#include "framework/training/evaluation.h"

namespace ordinal::experiments {
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

// Examples of one length. Under `last` they are the ends of examples of the longest length, of which only the
// last targets count, so that every length is scored on the same ones.
class Examples {
 public:
  Examples(const Subject& subject, Index length, const Condition& condition)
      : task_(subject.task), length_(length), drawn_(length) {
    if (condition.kind == Condition::Kind::last) {
      drawn_ = evaluation_lengths(subject.settings).back();
      scored_ = condition.k;
      if (task_.seq_len(1) != 1 || task_.seq_len(drawn_) != drawn_) {
        throw ConfigError("the task scores an answer, expected one that scores every token");
      }
      if (scored_ > length) {
        throw ConfigError(fmt::format("{} targets are more than the length {}", scored_, length));
      }
    }
    count_ = examples_to_score(task_, subject.evaluation, drawn_);
  }

  Index count() const { return count_; }

  Batch batch(Index first, Index size) const {
    const Batch whole = make_batch(task_, Split::validation, validation_seed, 0, size, drawn_,
                                   static_cast<std::uint32_t>(first));
    return scored_ == 0 ? whole : ends_of(whole);
  }

 private:
  Batch ends_of(const Batch& whole) const {
    Batch ends{whole.size, length_, {}, {}};
    for (Index b = 0; b < whole.size; ++b) {
      const auto end = static_cast<std::ptrdiff_t>((b + 1) * whole.seq_len);
      ends.tokens.insert(ends.tokens.end(), whole.tokens.begin() + end - length_, whole.tokens.begin() + end);
      ends.targets.insert(ends.targets.end(), static_cast<std::size_t>(length_ - scored_), ignore_index);
      ends.targets.insert(ends.targets.end(), whole.targets.begin() + end - scored_,
                          whole.targets.begin() + end);
    }
    return ends;
  }

  const Task& task_;
  Index length_;
  Index drawn_;       // length of the examples that are drawn
  Index scored_ = 0;  // targets of each example that count; 0: all
  Index count_ = 0;
};

PositionScheme shifted(PositionScheme positions, Index offset) {
  if (positions.needs_range()) {
    throw ConfigError(fmt::format("positions are {} and fill their range, expected ones that can be shifted",
                                  positions.describe(1)));
  }
  positions.offset += static_cast<double>(offset);
  return positions;
}

LengthScore scored(const Subject& subject, Index length, const Condition& condition, Threads& threads) {
  using Kind = Condition::Kind;
  const Index train_tokens = subject.model.config().train_length;  // of the first stage of training
  const auto or_train_length = [&](Index given) { return given > 0 ? given : train_tokens; };
  PositionScheme positions = test_positions(subject.settings, subject.task);
  if (condition.kind == Kind::shifted) positions = shifted(positions, or_train_length(condition.offset));
  AttentionTest attention;
  if (condition.kind == Kind::window && !subject.model.is_causal()) {
    throw ConfigError("the model is bidirectional, expected a causal one");
  }
  const bool on_attention = condition.kind == Kind::window || condition.kind == Kind::log_n;
  if (on_attention && subject.model.attention_layers() == 0) {
    throw ConfigError("the model has no attention, expected a block with some");
  }
  if (condition.kind == Kind::log_n && train_tokens < 2) {
    throw ConfigError("the training length is 1, expected at least 2");
  }
  if (condition.kind == Kind::window) attention.window = or_train_length(condition.size);
  if (condition.kind == Kind::log_n) attention.log_n_length = static_cast<double>(train_tokens);
  Evaluator<float> evaluator(subject.model, subject.values, threads, positions, attention);
  const Examples examples(subject, length, condition);
  Sums sums(subject.task.seq_len(length));
  const Index at_once = std::max<Index>(threads.count(), subject.settings.integer("train.batch"));
  for (Index first = 0; first < examples.count(); first += at_once) {
    const Batch batch = examples.batch(first, std::min(at_once, examples.count() - first));
    add(batch, evaluator.score(batch, static_cast<std::uint32_t>(first)), sums);
  }
  return score_of(sums, subject.task.metric(), length, train_tokens);
}

}  // namespace

LengthScore score_length(const Subject& subject, Index length, const std::string& condition,
                         Threads& threads) {
  LengthScore score;
  const auto fail = [&](const std::string& why) {
    score = {};
    score.length = length;
    score.failed = true;
    score.why = why;
  };
  try {
    score = scored(subject, length, make_condition(condition_text(subject.settings, condition)), threads);
  } catch (const PositionError& error) {
    fail(error.what());
  } catch (const ConfigError& error) {
    fail(error.what());
  }
  score.condition = condition;
  return score;
}

}  // namespace ordinal::experiments

// Sliding-window evaluation, against windows that are run by hand.
#include "experiments/conditions/windows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "framework/core/errors.h"
#include "framework/core/random.h"
#include "models/transformer.h"

namespace ordinal::experiments {
namespace {

constexpr Index vocab_size = 7;
constexpr Index train_length = 8;

struct Model {
  explicit Model(const std::string& encoding)
      : transformer(config_of(encoding)), values(transformer.layout()) {
    initialize(values, 1);
    Random random({.seed = 2});
    for (float& value : values.flat()) value += static_cast<float>(0.3 * random.normal());
  }

  static ModelConfig config_of(const std::string& encoding) {
    ModelConfig config;
    config.vocab_size = vocab_size;
    config.d_model = 16;
    config.heads = 2;
    config.layers = 1;
    config.train_length = train_length;
    config.encoding = encoding;
    return config;
  }

  TokenScores score(const Batch& batch, std::uint32_t first_example = 0) const {
    Threads threads(1);
    return Evaluator<float>(transformer, values, threads, scheme).score(batch, {.example = first_example});
  }
  TokenScores score(const Batch& batch, const Windows& windows, std::uint32_t first_example = 0,
                    int count = 1) const {
    Threads threads(count);
    Evaluator<float> evaluator(transformer, values, threads, scheme);
    return score_in_windows(evaluator, batch, windows, {.example = first_example});
  }

  Transformer<float> transformer;
  Parameters<float> values;
  PositionScheme scheme = {};
};

Batch some_batch(Index size, Index seq_len) {
  Batch batch{size, seq_len, {}, {}};
  Random random({.seed = 3});
  for (Index i = 0; i < size * seq_len; ++i) {
    batch.tokens.push_back(static_cast<Token>(random.below(vocab_size)));
    batch.targets.push_back(static_cast<Token>(random.below(vocab_size)));
  }
  return batch;
}

// The tokens begin … end - 1 of one sequence.
Batch slice(const Batch& batch, Index sequence, Index begin, Index end) {
  const auto part = [&](const std::vector<Token>& all) {
    const auto start = all.begin() + sequence * batch.seq_len;
    return std::vector<Token>(start + begin, start + end);
  };
  return {1, end - begin, part(batch.tokens), part(batch.targets)};
}

// Target t in the earliest window that holds it, run alone.
TEST(Windows, ScoreEachTargetWhereItHasTheMostContext) {
  const Model model("sinusoidal");
  for (const Windows windows : {Windows{8, 4}, Windows{8, 3}, Windows{8, 8}, Windows{5, 1}, Windows{1, 1}}) {
    for (const Index length : {9, 16, 21, 64}) {
      const Batch batch = some_batch(2, length);
      const TokenScores scores = model.score(batch, windows);
      for (Index i = 0; i < 2 * length; ++i) {
        const Index t = i % length;
        Index begin = 0;
        while (begin + windows.size <= t) begin += windows.stride;
        const Index end = std::min(begin + windows.size, length);
        const TokenScores alone = model.score(slice(batch, i / length, begin, end));
        const auto here = static_cast<std::size_t>(i);
        const auto there = static_cast<std::size_t>(t - begin);
        EXPECT_EQ(scores.losses[here], alone.losses[there]) << length << " " << i;
        EXPECT_EQ(scores.hits[here], alone.hits[there]) << length << " " << i;
      }
    }
  }
}

TEST(Windows, ThatHoldTheWholeSequenceChangeNothing) {
  Model model("rope");
  model.scheme = make_position_scheme("random_float(max_position=32)");
  for (const Index length : {1, 5, 8}) {
    const Batch batch = some_batch(3, length);
    EXPECT_EQ(model.score(batch, {8, 4}, 5).losses, model.score(batch, 5).losses) << length;
  }
}

// As evaluation does: the number of threads sets how many sequences are scored at once.
TEST(Windows, DoNotDependOnHowSequencesAreBatched) {
  Model model("rope");
  model.scheme = make_position_scheme("random_float(max_position=32)");
  const Batch batch = some_batch(3, 21);
  const TokenScores together = model.score(batch, {8, 4}, 0, 3);
  std::vector<double> one_by_one;
  for (Index sequence = 0; sequence < 3; ++sequence) {
    const TokenScores alone =
        model.score(slice(batch, sequence, 0, 21), {8, 4}, static_cast<std::uint32_t>(sequence));
    one_by_one.insert(one_by_one.end(), alone.losses.begin(), alone.losses.end());
  }
  EXPECT_EQ(together.losses, one_by_one);
}

// How often scoring asks whether to stop is how much it runs.
TEST(Windows, RunOnlyIfATargetIsScoredInThem) {
  const Model model("rope");
  const auto questions = [&](const Batch& batch) {
    Threads threads(1);
    Index asked = 0;
    Evaluator<float> evaluator(model.transformer, model.values, threads, {}, {},
                               [&] { return ++asked == 0; });
    score_in_windows(evaluator, batch, {8, 4});
    return asked;
  };
  Batch batch = some_batch(1, 64);
  const Index of_one = questions(slice(batch, 0, 0, 8));
  EXPECT_GT(of_one, 0);
  EXPECT_EQ(questions(batch), 15 * of_one);
  std::fill(batch.targets.begin(), batch.targets.end(), ignore_index);
  EXPECT_EQ(questions(batch), 0);
  batch.targets[42] = 1;  // in the windows from 36 and from 40 on
  EXPECT_EQ(questions(batch), of_one);
}

TEST(Windows, LetEveryEncodingRunAtEightTimesTheTrainingLength) {
  for (const std::string& encoding : encodings().names()) {
    const Model model(encoding);
    const TokenScores scores = model.score(some_batch(1, 8 * train_length), {train_length, 4});
    for (const double loss : scores.losses) EXPECT_TRUE(std::isfinite(loss) && loss > 0.0) << encoding;
  }
  EXPECT_THROW(Model("learned").score(some_batch(1, 8 * train_length)), PositionError);
}

}  // namespace
}  // namespace ordinal::experiments

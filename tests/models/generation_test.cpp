#include "models/generation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "framework/core/errors.h"
#include "tests/message_of.h"
#include "tests/models/model_rig.h"

namespace ordinal {
namespace {

using ::testing::HasSubstr;

constexpr std::array<float, 4> logits = {1.0F, 3.0F, 2.0F, 3.0F};

TEST(SampleToken, GreedyTakesTheLikeliestAndOfEqualsTheFirst) {
  Random random({});
  EXPECT_EQ(sample_token<float>(logits, {.temperature = 0.0}, random), 1);
  EXPECT_EQ(sample_token<float>(logits, {.temperature = 5.0, .top_k = 1}, random), 1);
}

TEST(SampleToken, TopKDrawsFromTheLikeliestOnly) {
  Random random({.seed = 1});
  std::array<int, 4> counts{};
  for (int i = 0; i < 2000; ++i) {
    ++counts.at(
        static_cast<std::size_t>(sample_token<float>(logits, {.temperature = 10.0, .top_k = 2}, random)));
  }
  EXPECT_EQ(counts[0], 0);
  EXPECT_EQ(counts[2], 0);
  EXPECT_NEAR(counts[1], 1000, 150);
}

TEST(SampleToken, FollowsSoftmaxOfLogitsOverTemperature) {
  constexpr double temperature = 2.0;
  constexpr int draws = 40'000;
  Random random({.seed = 2});
  std::array<int, 4> counts{};
  for (int i = 0; i < draws; ++i) {
    ++counts.at(static_cast<std::size_t>(sample_token<float>(logits, {.temperature = temperature}, random)));
  }
  double total = 0.0;
  for (const float z : logits) total += std::exp(static_cast<double>(z) / temperature);
  for (std::size_t token = 0; token < logits.size(); ++token) {
    const double p = std::exp(static_cast<double>(logits[token]) / temperature) / total;
    EXPECT_NEAR(counts[token], p * draws, 5.0 * std::sqrt(p * (1.0 - p) * draws));
  }
}

TEST(SampleToken, RefusesLogitsThatAreNotFinite) {
  Random random({});
  for (const float wrong :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    for (const double temperature : {0.0, 1.0}) {
      const std::array<float, 3> all = {1.0F, wrong, 2.0F};
      EXPECT_THAT(message_of<std::invalid_argument>(
                      [&] { sample_token<float>(all, {.temperature = temperature}, random); }),
                  HasSubstr("got infinite logits or NaN"));
    }
  }
}

class Generation : public ::testing::Test {
 protected:
  static ModelConfig config(bool causal) {
    return {.vocab_size = 9, .d_model = 16, .causal = causal, .encoding = "sinusoidal"};
  }

  const testing::ModelRig<> rig_{config(true)};
  const std::vector<Token> prompt_ = {1, 2, 3};
};

// What greedy decoding must give: the likeliest token after each full forward run, without a cache.
std::vector<Token> argmax_text(const testing::ModelRig<>& rig, const std::vector<Token>& prompt, int length) {
  std::vector<Token> text = prompt;
  for (int i = 0; i < length; ++i) {
    const std::vector<double> logits = rig.logits(text);
    const auto last = logits.end() - rig.model.vocab_size();
    text.push_back(static_cast<Token>(std::max_element(last, logits.end()) - last));
  }
  return {text.begin() + std::ssize(prompt), text.end()};
}

// With a cache, and with an encoding that moves earlier tokens, so that the whole text is read again.
TEST_F(Generation, GreedyTextIsTheArgmaxOfFullForwardRuns) {
  for (const std::string encoding : {"sinusoidal", "learned(max_seq_len=5, overflow=interpolate)"}) {
    ModelConfig model = config(true);
    model.encoding = encoding;
    const testing::ModelRig<> rig(model);
    EXPECT_EQ(generate<double>(rig.model, rig.values, prompt_, {.length = 12, .temperature = 0.0}),
              argmax_text(rig, prompt_, 12))
        << encoding;
  }
}

TEST_F(Generation, TheSameSeedGivesTheSameText) {
  const auto text = [&](Index seed) {
    return generate<double>(rig_.model, rig_.values, prompt_,
                            {.length = 30, .temperature = 1.0, .seed = seed});
  };
  EXPECT_EQ(text(5), text(5));
  EXPECT_NE(text(5), text(6));
}

TEST_F(Generation, EveryTokenIsHandedOverAsItComes) {
  std::vector<Token> seen;
  const auto generated = generate<double>(rig_.model, rig_.values, prompt_, {.length = 5},
                                          [&](Token token) { seen.push_back(token); });
  EXPECT_EQ(seen, generated);
  EXPECT_EQ(seen.size(), 5U);
}

TEST_F(Generation, NamesWhereANumberBecomesInfiniteOrNaN) {
  for (const std::string encoding : {"sinusoidal", "learned(max_seq_len=5, overflow=interpolate)"}) {
    ModelConfig large = config(true);
    large.encoding = encoding;
    testing::ModelRig<float> rig(large);
    for (float& value : rig.values.flat()) value *= 1e20F;
    EXPECT_THAT(
        message_of<CheckpointError>([&] { generate<float>(rig.model, rig.values, prompt_, {.length = 5}); }),
        "block.0.attention, forward: NaN at length 3; the weights are too large: use "
        "another checkpoint, or train again with a smaller train.learning_rate");
  }
}

TEST_F(Generation, NeedsAPromptAndACausalModel) {
  EXPECT_THAT(message_of<std::invalid_argument>([&] { generate<double>(rig_.model, rig_.values, {}, {}); }),
              HasSubstr("the prompt is empty"));
  const Transformer<double> encoder(config(false));
  EXPECT_THAT(message_of<std::invalid_argument>([&] { generate<double>(encoder, rig_.values, prompt_, {}); }),
              HasSubstr("bidirectional"));
}

}  // namespace
}  // namespace ordinal

#include "models/generation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "models/transformer.h"

namespace ordinal {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

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

class Generation : public ::testing::Test {
 protected:
  static ModelConfig config(bool causal) {
    ModelConfig result;
    result.vocab_size = 9;
    result.d_model = 16;
    result.causal = causal;
    result.encoding = "sinusoidal";
    return result;
  }
  Generation() : model_(config(true)), values_(model_.layout()) {
    initialize(values_, 1);
    Random random({.seed = 2});
    for (double& value : values_.flat()) value += 0.3 * random.normal();
  }

  Transformer<double> model_;
  Parameters<double> values_;
  const std::vector<Token> prompt_ = {1, 2, 3};
};

// What greedy decoding must give: the likeliest token after each full forward run, without a cache.
std::vector<Token> argmax_text(const Transformer<double>& model, const Parameters<double>& values,
                               const std::vector<Token>& prompt, int length) {
  std::vector<Token> text = prompt;
  for (int i = 0; i < length; ++i) {
    Pass<double> pass(values);
    pass.begin({.positions = Positions::contiguous(1, std::ssize(text))});
    const View<const double> z = model.logits(model.hidden(text, pass), pass);
    const double* last = z.row(z.rows - 1);
    text.push_back(static_cast<Token>(std::max_element(last, last + z.cols) - last));
  }
  return {text.begin() + std::ssize(prompt), text.end()};
}

TEST_F(Generation, GreedyTextIsTheArgmaxOfFullForwardRuns) {
  EXPECT_EQ(generate<double>(model_, values_, prompt_, {.length = 12, .temperature = 0.0}),
            argmax_text(model_, values_, prompt_, 12));
}

TEST_F(Generation, AnEncodingThatMovesEarlierTokensReadsTheWholeTextAgain) {
  ModelConfig interpolated = config(true);
  interpolated.encoding = "learned(max_seq_len=5, overflow=interpolate)";
  const Transformer<double> model(interpolated);
  Parameters<double> values(model.layout());
  Random random({.seed = 2});
  for (double& value : values.flat()) value = random.normal();
  EXPECT_EQ(generate<double>(model, values, prompt_, {.length = 12, .temperature = 0.0}),
            argmax_text(model, values, prompt_, 12));
}

TEST_F(Generation, TheSameSeedGivesTheSameText) {
  const auto text = [&](Index seed) {
    return generate<double>(model_, values_, prompt_, {.length = 30, .temperature = 1.0, .seed = seed});
  };
  EXPECT_EQ(text(5), text(5));
  EXPECT_NE(text(5), text(6));
}

TEST_F(Generation, EveryTokenIsHandedOverAsItComes) {
  std::vector<Token> seen;
  const auto generated =
      generate<double>(model_, values_, prompt_, {.length = 5}, [&](Token token) { seen.push_back(token); });
  EXPECT_EQ(seen, generated);
  EXPECT_EQ(seen.size(), 5U);
}

TEST_F(Generation, NeedsAPromptAndACausalModel) {
  EXPECT_THAT([&] { generate<double>(model_, values_, {}, {}); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("the prompt is empty")));
  const Transformer<double> encoder(config(false));
  EXPECT_THAT([&] { generate<double>(encoder, values_, prompt_, {}); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("bidirectional")));
}

}  // namespace
}  // namespace ordinal

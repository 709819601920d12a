#include "framework/layers/embedding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "framework/core/errors.h"
#include "framework/layers/cross_entropy.h"
#include "framework/layers/gradient_check.h"
#include "framework/layers/linear.h"
#include "tests/message_of.h"

namespace ordinal {
namespace {

using ::testing::HasSubstr;

const std::vector<Token> tokens = {3, 0, 3, 6, 1};
const std::vector<Token> targets = {0, ignore_index, 6, 2, 2};

// Tokens in, tied logits out, cross-entropy: the two ends of every model.
class TiedEmbedding : public ::testing::TestWithParam<double> {
 protected:
  TiedEmbedding()
      : embedding_(7, 4, Scope(layout_, "embedding"), GetParam()),
        output_(embedding_.table()),
        values_(layout_) {
    layout_.find("embedding.weight");
    Random random({.seed = 1});
    for (double& value : values_.flat()) value = random.normal();
  }

  ParameterLayout layout_;
  Embedding<double> embedding_;
  Linear<double> output_;
  Parameters<double> values_;
};

TEST_P(TiedEmbedding, BackwardIsTheGradientOfTheMeanLoss) {
  const double weight = 1.0 / static_cast<double>(count_targets(targets));
  const auto forward = [&](Pass<double>& pass, bool record) {
    pass.begin({.positions = Positions::contiguous(1, 5), .record = record});
    return output_.forward(embedding_.forward(tokens, pass), pass);
  };
  const auto loss = [&](const Parameters<double>& values) {
    Pass<double> pass(values);
    std::vector<double> losses(targets.size());
    cross_entropy(forward(pass, false), targets, losses);
    double total = 0.0;
    for (const double one : losses) total += one;
    return total * weight;
  };
  const auto gradient = [&](const Parameters<double>& values, Parameters<double>& gradients) {
    Pass<double> pass(values, &gradients);
    const View<const double> logits = forward(pass, true);
    const View<double> d_logits = pass.allocate(logits.rows, logits.cols);
    EXPECT_NEAR(cross_entropy_backward(logits, targets, weight, d_logits) * weight, loss(values), 1e-12);
    embedding_.backward(tokens, output_.backward(d_logits, pass), pass);
    pass.finish();
  };
  const GradientReport report = check_parameters(values_, loss, gradient);
  EXPECT_TRUE(report.ok()) << report.text();
}

INSTANTIATE_TEST_SUITE_P(Scales, TiedEmbedding, ::testing::Values(1.0, 2.0));

TEST(Embedding, ATokenOutsideTheVocabularyIsReported) {
  ParameterLayout layout;
  const Embedding<float> embedding(7, 4, Scope(layout));
  const Parameters<float> values(layout);
  Pass<float> pass(values);
  pass.begin({.positions = Positions::contiguous(1, 2)});
  for (const Token wrong : {-1, 7}) {
    const std::vector<Token> pair = {0, wrong};
    EXPECT_THAT(message_of<DataError>([&] { embedding.forward(pair, pass); }),
                HasSubstr("at position 1: expected 0 to 6 (vocab_size 7)"));
  }
}

TEST(CrossEntropy, OfEqualLogitsIsTheLogarithmOfTheVocabulary) {
  const Tensor<float> logits({3, 10});
  std::vector<double> losses(3);
  cross_entropy(logits.view(), std::vector<Token>{0, 9, ignore_index}, losses);
  EXPECT_NEAR(losses[0], std::log(10.0), 1e-6);
  EXPECT_NEAR(losses[1], std::log(10.0), 1e-6);
  EXPECT_EQ(losses[2], 0.0);
}

TEST(CrossEntropy, IsExactForLargeLogits) {
  Tensor<double> logits({1, 3});
  logits(0, 0) = 1000.0;
  logits(0, 1) = 999.0;
  logits(0, 2) = -1000.0;
  std::vector<double> losses(1);
  cross_entropy<double>(logits.view(), std::vector<Token>{1}, losses);
  EXPECT_NEAR(losses[0], 1.0 + std::log1p(std::exp(-1.0)), 1e-12);
}

TEST(CrossEntropy, ATargetOutsideTheVocabularyIsReported) {
  const Tensor<float> logits({1, 3});
  std::vector<double> losses(1);
  for (const Token wrong : {3, -2}) {
    EXPECT_THAT(
        message_of<DataError>([&] { cross_entropy(logits.view(), std::vector<Token>{wrong}, losses); }),
        HasSubstr("expected 0 to 2, or -1 to ignore it"));
  }
}

}  // namespace
}  // namespace ordinal

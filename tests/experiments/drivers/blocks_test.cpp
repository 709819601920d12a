// Blocks of any branches, as a user trains and compares them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/results/npy.h"
#include "experiments/tasks/task.h"
#include "tests/experiments/drivers/experiment.h"

namespace ordinal::experiments::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class BlockSlow : public ::testing::TestWithParam<std::string> {};

/// Whether each token of a text, from the first generated one, is the likeliest after those before it.
void expect_likeliest(const std::string& text, std::size_t prompt) {
  const std::vector<Token> tokens = task_alphabet(parse_part("language")).encode(text);
  const std::vector<std::int64_t> wide(tokens.begin(), tokens.end());
  write_npy(own_folder() / "t.npy", {1, std::ssize(wide)}, std::span<const std::int64_t>(wide));
  run_well("parity", "--quiet --model run/checkpoint.safetensors --tokens t.npy --targets t.npy --out whole");
  const std::vector<float> logits = SafetensorsFile(own_folder() / "whole").values<float>("logits");
  const std::size_t width = logits.size() / tokens.size();
  for (std::size_t i = prompt; i < tokens.size(); ++i) {
    const auto row = std::span(logits).subspan((i - 1) * width, width);
    EXPECT_GT(row[static_cast<std::size_t>(tokens[i])], *std::ranges::max_element(row) - 1e-4F) << i;
  }
}

std::string encoding_of(const std::string& block) {
  if (block.find("attention") == std::string::npos) return "sinusoidal";
  return block.find("forgetting") != std::string::npos ? "rope+forgetting" : "rope";
}

TEST_P(BlockSlow, TrainsIsScoredAndGeneratesWithTheCacheWhatTheWholeTextSays) {
  const std::string block = GetParam();
  const bool attends = block.find("attention") != std::string::npos;
  const Outcome trained = train(tiny + "--model.layers=2 --model.encoding=" + encoding_of(block) +
                                " --model.block='" + block + "' --train.learning_rate=0.01 --out run");
  EXPECT_THAT(trained.out, AllOf(Not(HasSubstr("nan")), Not(HasSubstr("fails"))));
  std::vector<double> losses;
  std::istringstream log(file("run/metrics.jsonl"));
  for (std::string line; std::getline(log, line);) {
    losses.push_back(nlohmann::json::parse(line).at("bits_per_token"));
  }
  EXPECT_LT(losses.back(), losses.front());
  const std::string generate =
      "--quiet --model run/checkpoint.safetensors --generate.temperature=0 --generate.prompt='=Kd' ";
  const Outcome text = run_well("generate", generate + "--generate.length=40");
  expect_likeliest(text.out.substr(0, 3 + 40), 3);
  if (!attends) return;
  // Up to 16 tokens dynamic_ntk gives the angles of contiguous, but reads the whole text for each token.
  const Outcome cached = run_program("generate", generate + "--generate.length=12");
  const Outcome read_again = run_well(
      "generate", generate + "--generate.length=12 --model.encoding=" + encoding_of(block) + "@dynamic_ntk");
  EXPECT_EQ(cached.out, read_again.out);
}

INSTANTIATE_TEST_SUITE_P(Branches, BlockSlow,
                         ::testing::Values("conv(kernel=3), attention, feed_forward", "lstm, feed_forward",
                                           "lstm", "attention, gated_linear(activation=relu)",
                                           "attention, gated_linear", "attention",
                                           "conv(kernel=4), lstm, attention, gated_linear(activation=silu)",
                                           "feed_forward",
                                           "attention(encoding=rope, window=8, qk_norm=rmsnorm), "
                                           "attention(encoding=rope+forgetting, softcap=5, weights=sink)",
                                           "attention, feed_forward(activation=swiglu), conv(kernel=1)"),
                         [](const auto& info) {
                           std::string name = info.param;
                           for (char& c : name)
                             c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
                           return name;
                         });

TEST(RefusedBlocks, SayWhatToDo) {
  for (const auto& [block, message] :
       {std::pair{"lstm",
                  "rope acts on query, key, and no branch of 'lstm' has them (use none, or add attention)"},
        std::pair{
            "attention, konv",
            "got 'konv' (did you mean conv?), expected one of attention, feed_forward, gated_linear, conv"},
        std::pair{"attention, conv(kernel=0)", "kernel: got 0, expected "},
        std::pair{"attention, conv(width=3)", "conv has no option width"},
        std::pair{"attention(qk_norm=rmsnorm(eps=1))", "rmsnorm has no option eps, expected one of epsilon"},
        std::pair{"attention(qk_norm=batchnorm)",
                  "got 'batchnorm', expected one of none, layernorm, rmsnorm"},
        std::pair{"attention, conv(kernel=3", "conv(kernel=3"}}) {
    expect_refused("train",
                   tiny + "--model.encoding=rope --out run --model.block='" + std::string(block) + "'",
                   message);
    EXPECT_FALSE(exists("run"));
  }
}

}  // namespace
}  // namespace ordinal::experiments::testing

// Blocks of any branches, as a user asks for them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/results/npy.h"
#include "experiments/tasks/task.h"
#include "tests/experiments/drivers/experiment.h"

namespace ordinal::experiments::testing {
namespace {

// What the checks of every block show of a model, of the programs: each token is the likeliest after those before it.
TEST(BlockSlow, GeneratesWithTheCacheWhatTheWholeTextSays) {
  train(tiny +
        "--model.layers=2 --model.encoding=rope --model.block='conv(kernel=4), lstm, "
        "attention(window=8, qk_norm=rmsnorm), gated_linear(activation=silu)' --out run");
  constexpr std::size_t prompt = 3;
  const Outcome text = run_well("generate",
                                "--quiet --model run/checkpoint.safetensors --generate.temperature=0 "
                                "--generate.prompt='=Kd' --generate.length=40");
  const std::vector<Token> tokens =
      task_alphabet(parse_part("language")).encode(text.out.substr(0, prompt + 40));
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

// A few steps of training give the parameters of tests/fixtures/bits/trained.txt, to the last bit, on every machine with fused
// multiply-adds. A line of it is a setting, its value and the hash of the parameters; a new part may have one. tests/bits runs
// this test in builds by other compilers, for other processors.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <map>
#include <span>
#include <string>

#include "framework/math/gemm.h"
#include "framework/training/trainer.h"
#include "models/transformer.h"
#include "tests/folders.h"
#include "tests/models/model_rig.h"

namespace ordinal {
namespace {

constexpr Index batch_size = 4;
constexpr Index seq_len = 40;
constexpr int steps = 4;

struct Settings {
  ModelConfig model{.vocab_size = 19,
                    .d_model = 24,
                    .heads = 3,
                    .encoding = "none",
                    .train_length = seq_len,
                    .longest = 64};
  TrainerOptions trainer;

  void set(const std::string& key, const std::string& value) {
    const std::map<std::string, PartList&> settings = {{"encoding", model.encoding},
                                                       {"block", model.block},
                                                       {"norm", model.norm},
                                                       {"optimizer", trainer.optimizer}};
    settings.at(key) = value;
  }
};

// FNV-1a with 64 bits, in hexadecimal digits.
std::string hash_of(std::span<const std::byte> bytes) {
  std::uint64_t hash = 14695981039346656037ULL;
  for (const std::byte byte : bytes) hash = (hash ^ std::to_integer<std::uint64_t>(byte)) * 1099511628211ULL;
  return fmt::format("{:016x}", hash);
}

std::string trained_bits(const Settings& settings) {
  const Transformer<float> model(settings.model);
  TrainerOptions options = settings.trainer;
  options.shards = 2;
  Threads threads(2);
  Trainer<float> trainer(model, options, threads);
  for (int step = 0; step < steps; ++step) {
    const auto purpose = static_cast<std::uint32_t>(2 * step);
    const Batch batch{batch_size, seq_len,
                      testing::random_tokens(batch_size * seq_len, settings.model.vocab_size, purpose),
                      testing::random_tokens(batch_size * seq_len, settings.model.vocab_size, purpose + 1)};
    trainer.step({&batch, 1});
  }
  return hash_of(std::as_bytes(trainer.values().flat()));
}

// Whether the machine that this build is for fuses a product and a sum.
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
constexpr bool may_fuse = true;
#else
constexpr bool may_fuse = false;
#endif

TEST(SameBits, OfTrainedModelsOnEveryMachine) {
  ASSERT_EQ(gemm_is_fused(), may_fuse);
  if (!may_fuse) GTEST_SKIP() << "this build has no fused multiply-adds";
  const auto path = fixtures_folder() / "bits/trained.txt";
  std::ifstream lines(path);
  Index count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    const auto first = line.find(' ');
    const auto last = line.rfind(' ');
    const std::string key = line.substr(0, first);
    const std::string value = line.substr(first + 1, last - first - 1);
    Settings settings;
    settings.set(key, value);
    EXPECT_EQ(trained_bits(settings), line.substr(last + 1)) << key << ' ' << value;
  }
  EXPECT_GT(count, 30) << path;
}

}  // namespace
}  // namespace ordinal

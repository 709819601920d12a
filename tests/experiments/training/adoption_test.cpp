// A model takes over the weights of a checkpoint with another positional encoding.
#include "experiments/training/adoption.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "framework/core/errors.h"
#include "framework/training/checkpoint.h"

namespace ordinal::experiments {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

ModelConfig config_of(const std::string& encoding, Index d_model = 8) {
  ModelConfig config;
  config.vocab_size = 5;
  config.d_model = d_model;
  config.heads = 2;
  config.layers = 1;
  config.train_length = 4;
  config.encoding = encoding;
  return config;
}

// A model with its values, all different.
struct Fixture {
  explicit Fixture(const ModelConfig& config, std::uint64_t seed) : model(config), values(model.layout()) {
    initialize(values, seed);
  }
  Transformer<float> model;
  Parameters<float> values;
};

SafetensorsFile saved(const Fixture& fixture) {
  const auto path = std::filesystem::path(::testing::TempDir()) / "adoption_test.safetensors";
  SafetensorsWriter writer;
  add_parameters(writer, fixture.values);
  writer.write(path);
  return SafetensorsFile(path);
}

std::vector<float> tensor(const Parameters<float>& values, const std::string& name) {
  const View<const float> view = values[name];
  return {view.data, view.data + view.size()};
}

const std::string table = "positional.learned.table";

TEST(Adoption, OfTheSameModelIsALoad) {
  const Fixture trained(config_of("learned+t5"), 1);
  Fixture model(config_of("learned+t5"), 2);
  EXPECT_EQ(adopt_parameters(saved(trained), model.model, model.values), "");
  EXPECT_TRUE(std::ranges::equal(model.values.flat(), trained.values.flat()));
}

TEST(Adoption, OfALongerTableKeepsTheTrainedRows) {
  const Fixture trained(config_of("learned(max_seq_len=4)"), 1);
  Fixture model(config_of("t5+learned(max_seq_len=7)"), 2);
  const std::vector<float> initial = tensor(model.values, table);
  EXPECT_EQ(
      adopt_parameters(saved(trained), model.model, model.values),
      "resized positional.learned.table from (4, 8) to (7, 8); not in the checkpoint: positional.t5.bias");
  std::vector<float> expected = tensor(trained.values, table);
  expected.insert(expected.end(), initial.begin() + 4 * 8, initial.end());
  EXPECT_EQ(tensor(model.values, table), expected);
  EXPECT_EQ(tensor(model.values, "block.0.attention.qkv.weight"),
            tensor(trained.values, "block.0.attention.qkv.weight"));
}

TEST(Adoption, ByInterpolationStretchesTheTable) {
  const Fixture trained(config_of("learned(max_seq_len=4)"), 1);
  Fixture model(config_of("learned(max_seq_len=7, grow=interpolated)"), 2);
  adopt_parameters(saved(trained), model.model, model.values);
  const View<const float> before = trained.values[table];
  const View<const float> after = model.values[table];
  for (Index c = 0; c < 8; ++c) {  // (4 - 1)/(7 - 1) = 1/2 of a row for each new row
    for (Index r = 0; r < 4; ++r) EXPECT_FLOAT_EQ(after(2 * r, c), before(r, c));
    for (Index r = 0; r < 3; ++r) {
      EXPECT_FLOAT_EQ(after(2 * r + 1, c), (before(r, c) + before(r + 1, c)) / 2);
    }
  }
}

TEST(Adoption, OfAShorterTableKeepsItsFirstRows) {
  const Fixture trained(config_of("learned(max_seq_len=9)"), 1);
  Fixture model(config_of("learned(max_seq_len=4)"), 2);
  adopt_parameters(saved(trained), model.model, model.values);
  std::vector<float> expected = tensor(trained.values, table);
  expected.resize(4 * 8);
  EXPECT_EQ(tensor(model.values, table), expected);
}

TEST(Adoption, WithoutTheEncodingDropsItsParameters) {
  const Fixture trained(config_of("learned"), 1);
  Fixture model(config_of("none"), 2);
  EXPECT_EQ(adopt_parameters(saved(trained), model.model, model.values), "dropped " + table);
}

TEST(Adoption, RefusesWhatIsNotTheEncodingsOrCannotBeResizedAndChangesNothing) {
  const auto refusal = [](const ModelConfig& trained, const ModelConfig& own) {
    return [=] {
      Fixture model(own, 2);
      try {
        adopt_parameters(saved(Fixture(trained, 1)), model.model, model.values);
      } catch (const CheckpointError&) {
        EXPECT_TRUE(std::ranges::equal(Fixture(own, 2).values.flat(), model.values.flat()));
        throw;
      }
    };
  };
  EXPECT_THAT(refusal(config_of("none"), config_of("none", 16)),
              ThrowsMessage<CheckpointError>(HasSubstr("token_embedding.weight has shape (5, 8)")));
  EXPECT_THAT(refusal(config_of("learned"), config_of("learned", 16)),
              ThrowsMessage<CheckpointError>(HasSubstr("has shape (5, 8)")));
  EXPECT_THAT(refusal(config_of("t5(buckets=8)"), config_of("t5(buckets=16)")),
              ThrowsMessage<CheckpointError>(HasSubstr("positional.t5.bias has shape")));
}

}  // namespace
}  // namespace ordinal::experiments

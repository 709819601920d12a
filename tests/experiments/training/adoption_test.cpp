// A model takes over the weights of a checkpoint with another positional encoding.
#include "experiments/training/adoption.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "framework/core/errors.h"
#include "framework/training/checkpoint.h"
#include "tests/framework/storage/scratch_folder.h"
#include "tests/message_of.h"

namespace ordinal::experiments {
namespace {

using ::testing::HasSubstr;

// A small model with its values, all different.
struct Fixture {
  explicit Fixture(const std::string& encoding, std::uint64_t seed, Index d_model = 8)
      : model({.vocab_size = 5,
               .d_model = d_model,
               .layers = 1,
               .heads = 2,
               .encoding = encoding,
               .train_length = 4}),
        values(model.layout()) {
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
  const Fixture trained("learned+t5", 1);
  Fixture model("learned+t5", 2);
  EXPECT_EQ(adopt_parameters(saved(trained), model.model, model.values), "");
  EXPECT_TRUE(std::ranges::equal(model.values.flat(), trained.values.flat()));
}

TEST(Adoption, OfALongerTableKeepsTheTrainedRows) {
  const Fixture trained("learned(max_seq_len=4)", 1);
  Fixture model("t5+learned(max_seq_len=7)", 2);
  const std::vector<float> initial = tensor(model.values, table);
  EXPECT_EQ(
      adopt_parameters(saved(trained), model.model, model.values),
      "not in the checkpoint: positional.t5.bias; resized positional.learned.table from (4, 8) to (7, 8)");
  std::vector<float> expected = tensor(trained.values, table);
  expected.insert(expected.end(), initial.begin() + 4 * 8, initial.end());
  EXPECT_EQ(tensor(model.values, table), expected);
  EXPECT_EQ(tensor(model.values, "block.0.attention.qkv.weight"),
            tensor(trained.values, "block.0.attention.qkv.weight"));
}

TEST(Adoption, ByInterpolationStretchesTheTable) {
  const Fixture trained("learned(max_seq_len=4)", 1);
  Fixture model("learned(max_seq_len=7, grow=interpolated)", 2);
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
  const Fixture trained("learned(max_seq_len=9)", 1);
  Fixture model("learned(max_seq_len=4)", 2);
  adopt_parameters(saved(trained), model.model, model.values);
  std::vector<float> expected = tensor(trained.values, table);
  expected.resize(4 * 8);
  EXPECT_EQ(tensor(model.values, table), expected);
}

TEST(Adoption, WithoutTheEncodingDropsItsParameters) {
  const Fixture trained("learned", 1);
  Fixture model("none", 2);
  EXPECT_EQ(adopt_parameters(saved(trained), model.model, model.values), "dropped " + table);
}

TEST(Adoption, RefusesWhatIsNotTheEncodingsOrCannotBeResized) {
  const auto refusal = [](const Fixture& trained, Fixture model) {
    return message_of<std::runtime_error>(
        [&] { adopt_parameters(saved(trained), model.model, model.values); });
  };
  EXPECT_THAT(refusal(Fixture("none", 1), Fixture("none", 2, 16)),
              HasSubstr("token_embedding.weight has shape (5, 8)"));
  EXPECT_EQ(
      refusal(Fixture("t5(buckets=8)", 1), Fixture("t5(buckets=16)", 2)),
      "finetune.encoding: positional.t5.bias has shape (16, 2), and (8, 2) in the first stage; it cannot "
      "be resized");
}

}  // namespace
}  // namespace ordinal::experiments

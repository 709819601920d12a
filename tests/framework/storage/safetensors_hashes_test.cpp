// Damage of files that were written with hashes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <tuple>
#include <vector>

#include "framework/core/errors.h"
#include "framework/storage/safetensors.h"
#include "tests/framework/storage/scratch_folder.h"
#include "tests/message_of.h"

namespace ordinal {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

void write_sample(const std::filesystem::path& path) {
  SafetensorsWriter writer;
  const std::vector<float> weights = {1.0F, -2.5F, 3.25F, 0.0F, 5.0F, 6.0F};
  const std::vector<double> state = {0.125, 1e300};
  writer.set_metadata("step", "17");
  writer.set_metadata("model.d_model", "64");
  writer.add("weight", {2, 3}, weights);
  writer.add("optimizer.m", {2}, state);
  writer.write(path);
}

// Everything that a reader can see of a file.
auto seen_of(const std::filesystem::path& path) {
  const SafetensorsFile file(path);
  return std::tuple(file.metadata().at("step"), file.metadata().at("model.d_model"),
                    file.values<float>("weight"), file.values<double>("optimizer.m"), file.shape("weight"));
}

TEST(Damage, OfAnyBitIsFoundOrChangesNothing) {
  const ScratchFolder folder;
  write_sample(folder / "good");
  const std::string good = read_file(folder / "good");
  const auto whole = seen_of(folder / "good");
  int found = 0;
  for (std::size_t byte = 0; byte < good.size(); ++byte) {
    std::string bad = good;
    bad[byte] = static_cast<char>(bad[byte] ^ (1 << (byte % 8)));
    write_raw(folder / "bad", bad);
    try {
      EXPECT_EQ(seen_of(folder / "bad"), whole) << "byte " << byte;
    } catch (const CheckpointError&) {
      ++found;
    }
  }
  EXPECT_GT(found, static_cast<int>(good.size()) * 9 / 10);
}

TEST(Damage, IsNamed) {
  const ScratchFolder folder;
  write_sample(folder / "good");
  const std::string good = read_file(folder / "good");
  const auto refusal = [&](std::size_t byte) {
    std::string bad = good;
    bad[byte] = static_cast<char>(bad[byte] ^ 1);
    write_raw(folder / "bad", bad);
    return message_of<CheckpointError>([&] { SafetensorsFile(folder / "bad"); });
  };
  EXPECT_THAT(refusal(good.size() - 1), AllOf(HasSubstr("bad: tensor \"weight\" is damaged"),
                                              HasSubstr("leave xxh3 out of its metadata")));
  EXPECT_THAT(refusal(good.size() - 25), HasSubstr("tensor \"optimizer.m\" is damaged"));
  EXPECT_THAT(refusal(good.find("\"17\"") + 1), HasSubstr("metadata is damaged"));
}

// The refusal of a file without tensors whose metadata holds the step and these hashes.
std::string refusal_of_hashes(const std::string& hashes) {
  const ScratchFolder folder;
  write_raw(folder / "file", render_safetensors_header({{"step", "17"}, {"xxh3", hashes}}, {}));
  return message_of<CheckpointError>([&] { SafetensorsFile(folder / "file"); });
}

TEST(Hashes, AreNotPartOfTheMetadataAndMayBeMissing) {
  const ScratchFolder folder;
  write_sample(folder / "good");
  EXPECT_EQ(SafetensorsFile(folder / "good").metadata().count("xxh3"), 0U);
  write_raw(folder / "without", render_safetensors_header({{"step", "17"}}, {}));
  EXPECT_EQ(SafetensorsFile(folder / "without").metadata().size(), 1U);
  for (const char* hashes : {R"({"metadata":"0"})", "not JSON", "[]", "null", "3", ""}) {
    EXPECT_THAT(refusal_of_hashes(hashes), HasSubstr("metadata is damaged")) << hashes;
  }
}

}  // namespace
}  // namespace ordinal

#include "framework/storage/safetensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "framework/core/errors.h"
#include "framework/storage/atomic_file.h"
#include "tests/framework/storage/scratch_folder.h"
#include "tests/message_of.h"

namespace ordinal {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Safetensors, RoundTripKeepsEveryBit) {
  const ScratchFolder folder;
  const std::vector<float> floats{1.0F,    -0.0F, std::numeric_limits<float>::denorm_min(),
                                  3.4e38F, 0.1F,  -7.0F};
  const std::vector<double> doubles{1.0 / 3.0, std::numeric_limits<double>::infinity()};
  const std::vector<std::int64_t> integers{std::numeric_limits<std::int64_t>::min(), -1, 9007199254740993};
  SafetensorsWriter writer;
  writer.set_metadata("config", "line one\nline \"two\" \\ größe");
  writer.add("floats", {2, 3}, floats);
  writer.add("doubles", {2}, doubles);
  writer.add("integers", {3, 1}, integers);
  writer.write(folder / "file.safetensors");

  const SafetensorsFile file(folder / "file.safetensors");
  EXPECT_EQ(file.values<float>("floats"), floats);
  EXPECT_TRUE(std::signbit(file.values<float>("floats")[1]));
  EXPECT_EQ(file.values<double>("doubles"), doubles);
  EXPECT_EQ(file.values<std::int64_t>("integers"), integers);
  EXPECT_EQ(file.shape("floats"), (Shape{2, 3}));
  EXPECT_EQ(file.get("doubles").type, "F64");
  EXPECT_EQ(file.metadata().at("config"), "line one\nline \"two\" \\ größe");
  EXPECT_EQ(folder.file_count(), 1U);
}

TEST(Safetensors, KeepsEmptyTensorsScalarsAndUnicodeNames) {
  const ScratchFolder folder;
  const std::vector<double> scalar{0.1};
  SafetensorsWriter writer;
  writer.add("", {0, 4}, std::span<const float>());
  writer.add("größe.重み \"\n", {}, scalar);
  writer.add("also empty", {3, 0}, std::span<const double>());
  writer.write(folder / "file.safetensors");

  const SafetensorsFile file(folder / "file.safetensors");
  EXPECT_EQ(file.shape(""), (Shape{0, 4}));
  EXPECT_TRUE(file.values<float>("").empty());
  EXPECT_EQ(file.shape("größe.重み \"\n"), Shape{});
  EXPECT_EQ(file.values<double>("größe.重み \"\n"), scalar);
  EXPECT_EQ(file.shape("also empty"), (Shape{3, 0}));
}

TEST(Safetensors, FileWithoutTensorsIsValid) {
  const ScratchFolder folder;
  SafetensorsWriter().write(folder / "file.safetensors");
  const SafetensorsFile file(folder / "file.safetensors");
  EXPECT_TRUE(file.names().empty());
  EXPECT_TRUE(file.metadata().empty());
}

TEST(Safetensors, DataIsAlignedAndInTheOrderOfAddingWithinAWidth) {
  const ScratchFolder folder;
  const std::vector<float> one{1.0F};
  const std::vector<double> two{2.0};
  SafetensorsWriter writer;
  writer.add("z", {1}, one);
  writer.add("b", {1}, two);
  writer.add("a", {1}, one);
  writer.write(folder / "file.safetensors");
  EXPECT_THAT(SafetensorsFile(folder / "file.safetensors").names(), ElementsAre("b", "z", "a"));
  const std::size_t data_bytes = 8 + 4 + 4;
  EXPECT_EQ((read_file(folder / "file.safetensors").size() - data_bytes) % 64, 0U);
}

TEST(Safetensors, SameCallsGiveTheSameBytes) {
  const ScratchFolder folder;
  const std::vector<float> values{1.0F, 2.0F};
  for (const char* name : {"first", "second"}) {
    SafetensorsWriter writer;
    writer.set_metadata("b", "2");
    writer.set_metadata("a", "1");
    writer.add("x", {2}, values);
    writer.write(folder / name);
  }
  EXPECT_EQ(read_file(folder / "first"), read_file(folder / "second"));
}

TEST(Safetensors, ReadsWhatPythonWrote) {
  const SafetensorsFile file(storage_fixture("python.safetensors"));
  EXPECT_EQ(file.metadata().at("note"), "two\nlines, \"quotes\" and ünïcode");
  EXPECT_EQ(file.names().size(), 9U);
  EXPECT_EQ(file.shape("matrix"), (Shape{2, 3}));
  EXPECT_THAT(file.values<float>("matrix"), ElementsAre(1.0F, -2.5F, 3.0F, 0.0F, 1e-3F, 6.0F));
  EXPECT_THAT(file.values<double>("precise"), ElementsAre(1.0 / 3.0, 1e300));
  EXPECT_THAT(file.values<std::int64_t>("tokens"), ElementsAre(0, -1, 255, std::int64_t{1} << 40));
  EXPECT_THAT(file.values<std::int64_t>("small"), ElementsAre(7, -8));
  EXPECT_THAT(file.values<double>("scalar"), ElementsAre(0.1));
  EXPECT_EQ(file.shape("empty"), (Shape{0, 4}));
  EXPECT_THAT(file.values<float>("größe.重み"), ElementsAre(42.0F));
}

TEST(Safetensors, WidensHalfPrecisionExactly) {
  const SafetensorsFile file(storage_fixture("python.safetensors"));
  const std::vector<double> half = file.values<double>("half");
  EXPECT_THAT(half, ElementsAre(1.5, -0.25, 65504.0, std::ldexp(1.0, -24), INFINITY, -0.0));
  EXPECT_TRUE(std::signbit(half[5]));
  EXPECT_THAT(file.values<float>("brain"), ElementsAre(1.5F, -3.0F, std::ldexp(1.0F, 100)));
}

TEST(Safetensors, ConvertsBetweenFloatAndDouble) {
  const SafetensorsFile file(storage_fixture("python.safetensors"));
  EXPECT_EQ(file.values<double>("matrix")[4], static_cast<double>(1e-3F));
  EXPECT_EQ(file.values<float>("scalar")[0], 0.1F);
}

TEST(Safetensors, SaysWhichTensorDoesNotFit) {
  const auto path = storage_fixture("python.safetensors");
  const SafetensorsFile file(path);
  const auto message = [](const auto& action) { return message_of<CheckpointError>(action); };
  std::vector<float> five(5);
  EXPECT_EQ(message([&] { file.read("matrix", std::span(five)); }),
            path.string() + ": tensor \"matrix\" has shape (2, 3), expected 5 values");
  EXPECT_EQ(message([&] { file.values<float>("tokens"); }),
            path.string() + ": tensor \"tokens\" has dtype I64, expected F64, F32, F16 or BF16");
  EXPECT_EQ(message([&] { file.values<std::int64_t>("matrix"); }),
            path.string() + ": tensor \"matrix\" has dtype F32, expected I64 or I32");
  EXPECT_EQ(message([&] { file.values<float>("no\nne"); }),
            path.string() + R"(: tensor "no\nne" is not in the file)");
  EXPECT_FALSE(file.contains("none"));
  EXPECT_TRUE(file.contains("matrix"));
}

TEST(Safetensors, WriterRefusesWhatAFileCannotHold) {
  const ScratchFolder folder;
  const std::vector<float> values{1.0F, 2.0F};
  SafetensorsWriter writer;
  writer.add("x", {2}, values);
  EXPECT_THROW(writer.add("x", {2}, values), std::invalid_argument);
  EXPECT_THROW(writer.add("__metadata__", {2}, values), std::invalid_argument);
  EXPECT_THROW(writer.add("y", {3}, values), std::invalid_argument);
  EXPECT_THROW(writer.add("y", {-2}, values), std::invalid_argument);
  writer.set_metadata("file", "\xff");
  EXPECT_THROW(writer.write(folder / "file.safetensors"), std::invalid_argument);
  EXPECT_EQ(folder.file_count(), 0U);
}

TEST(Safetensors, KeepsThePreviousFileWhenWritingFails) {
  const ScratchFolder folder;
  write_raw(folder / "file", "previous");
  const std::vector<float> values{1.0F};
  SafetensorsWriter writer;
  writer.add("x", {1}, values);
  EXPECT_THROW(writer.write(folder / "file/below.safetensors"), std::filesystem::filesystem_error);
  EXPECT_THROW(writer.write(folder / "missing/file.safetensors"), std::filesystem::filesystem_error);
  EXPECT_EQ(read_file(folder / "file"), "previous");
  EXPECT_EQ(folder.file_count(), 1U);
}

TEST(Safetensors, SaysWhyAFileCannotBeOpened) {
  const ScratchFolder folder;
  const auto message = [](const std::filesystem::path& path) {
    return message_of<CheckpointError>([&] { SafetensorsFile file(path); });
  };
  EXPECT_EQ(message(folder / "missing"), (folder / "missing").string() + ": No such file or directory");
  EXPECT_THAT(message(folder.path()), HasSubstr("is a directory"));
  write_raw(folder / "text", "It was the best of times, it was the worst of times.\n");
  EXPECT_THAT(message(folder / "text"), HasSubstr((folder / "text").string() + ": not a safetensors file"));
  EXPECT_THAT(message(storage_fixture("bool.safetensors")), HasSubstr("dtype \"BOOL\" is unknown here"));
  EXPECT_THAT(message(storage_fixture("int64.npy")), HasSubstr("not a safetensors file"));
}

}  // namespace
}  // namespace ordinal

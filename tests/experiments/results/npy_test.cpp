#include "experiments/results/npy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>

#include "framework/core/errors.h"
#include "framework/storage/atomic_file.h"
#include "tests/framework/storage/scratch_folder.h"

namespace ordinal::experiments {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

std::string refusal(const std::filesystem::path& path) {
  return message_of<DataError>([&] { read_npy(path); });
}

TEST(Npy, RoundTripKeepsShapeAndValues) {
  const ScratchFolder folder;
  const std::vector<double> doubles{0.1, -2.0, 1e300, 4.0, 5.0, std::numeric_limits<double>::denorm_min()};
  for (const Shape& shape : {Shape{6}, Shape{2, 3}, Shape{1, 2, 3, 1}}) {
    write_npy(folder / "array.npy", shape, doubles);
    const NpyArray array = read_npy(folder / "array.npy");
    EXPECT_EQ(array.shape, shape);
    EXPECT_EQ(array.dtype, "<f8");
    EXPECT_EQ(array.reals(), doubles);
  }
  const std::vector<std::int64_t> integers{std::numeric_limits<std::int64_t>::min(), 9007199254740993};
  write_npy(folder / "array.npy", {2}, integers);
  EXPECT_EQ(read_npy(folder / "array.npy").integers(), integers);
}

TEST(Npy, RoundTripKeepsScalarsAndEmptyArrays) {
  const ScratchFolder folder;
  const std::vector<double> one{1.5};
  write_npy(folder / "scalar.npy", {}, one);
  EXPECT_EQ(read_npy(folder / "scalar.npy").shape, Shape{});
  EXPECT_THAT(read_npy(folder / "scalar.npy").reals(), ElementsAre(1.5));
  write_npy(folder / "empty.npy", {0, 4}, std::span<const double>());
  EXPECT_EQ(read_npy(folder / "empty.npy").shape, (Shape{0, 4}));
  EXPECT_TRUE(read_npy(folder / "empty.npy").reals().empty());
}

TEST(Npy, WritesTheHeaderThatNumPyWrites) {
  // NumPy reserves room for a longer first extent, so only the padding may differ; both align to 64 bytes.
  const ScratchFolder folder;
  const NpyArray array = read_npy(storage_fixture("int64.npy"));
  write_npy(folder / "array.npy", array.shape, array.integers());
  EXPECT_EQ(read_file(folder / "array.npy"), read_file(storage_fixture("int64.npy")));
}

TEST(Npy, DataIsAligned) {
  const ScratchFolder folder;
  for (const Shape& shape : {Shape{1}, Shape{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}}) {
    write_npy(folder / "array.npy", shape, std::vector<double>{1.0});
    EXPECT_EQ((read_file(folder / "array.npy").size() - sizeof(double)) % 64, 0U);
    EXPECT_EQ(read_npy(folder / "array.npy").shape, shape);
  }
}

TEST(Npy, ReadsFloatsOfNumPy) {
  EXPECT_THAT(read_npy(storage_fixture("float32.npy")).reals(),
              ElementsAre(1.0, -2.5, 3.0, 0.0, static_cast<double>(1e-3F), 6.0));
  EXPECT_EQ(read_npy(storage_fixture("float32.npy")).shape, (Shape{2, 3}));
  const NpyArray scalar = read_npy(storage_fixture("float64_scalar.npy"));
  EXPECT_EQ(scalar.shape, Shape{});
  EXPECT_THAT(scalar.reals(), ElementsAre(0.1));
}

TEST(Npy, ReadsEveryIntegerOfNumPy) {
  const auto last = [](const char* name) { return read_npy(storage_fixture(name)).integers().back(); };
  EXPECT_EQ(last("int8.npy"), 127);
  EXPECT_EQ(last("int16.npy"), 32767);
  EXPECT_EQ(last("int32.npy"), 2147483647);
  EXPECT_EQ(last("uint8.npy"), 255);
  EXPECT_EQ(last("uint16.npy"), 65535);
  EXPECT_EQ(last("uint32.npy"), 4294967295);
  EXPECT_EQ(last("bool.npy"), 1);
  EXPECT_THAT(read_npy(storage_fixture("int64.npy")).integers(),
              ElementsAre(0, -1, 255, std::int64_t{1} << 40));
  EXPECT_THAT(read_npy(storage_fixture("int16.npy")).reals(), ElementsAre(0.0, 1.0, 32767.0));
  EXPECT_EQ(read_npy(storage_fixture("int32_empty.npy")).shape, (Shape{0, 4}));
}

TEST(Npy, ReadsVersionTwo) {
  EXPECT_THAT(read_npy(storage_fixture("version2.npy")).integers(), ElementsAre(3, 1, 2));
}

TEST(Npy, IntegersNeverWrapOrRound) {
  EXPECT_THAT(message_of<DataError>([] { read_npy(storage_fixture("uint64.npy")).integers(); }),
              HasSubstr("uint64.npy: a value exceeds the largest int64"));
  EXPECT_DOUBLE_EQ(read_npy(storage_fixture("uint64.npy")).reals().back(), 18446744073709551615.0);
  EXPECT_THAT(message_of<DataError>([] { read_npy(storage_fixture("float32.npy")).integers(); }),
              HasSubstr("float32.npy: dtype <f4, expected integers"));
}

TEST(Npy, SaysWhichKindOfArrayIsNotRead) {
  EXPECT_THAT(refusal(storage_fixture("fortran.npy")), HasSubstr("save np.ascontiguousarray"));
  EXPECT_THAT(refusal(storage_fixture("structured.npy")), HasSubstr("expected that of a plain array"));
  EXPECT_THAT(refusal(storage_fixture("big_endian.npy")), HasSubstr("dtype >f8 is not supported"));
  EXPECT_THAT(refusal(storage_fixture("complex.npy")), HasSubstr("dtype <c16 is not supported"));
  EXPECT_THAT(refusal(storage_fixture("python.safetensors")), HasSubstr("not a .npy file"));
  EXPECT_THAT(refusal(storage_fixture("missing.npy")), HasSubstr("missing.npy: No such file or directory"));
  EXPECT_THAT(refusal(storage_fixture("")), HasSubstr("is a directory"));
}

/// A version 1.0 file with the given header and eight bytes of data.
std::string with_header(const std::string& header) {
  const std::string length{static_cast<char>(header.size()), '\0'};
  return "\x93NUMPY" + std::string("\1\0", 2) + length + header + std::string(8, '\0');
}

TEST(Npy, RefusesHeadersThatNumPyDoesNotWrite) {
  const ScratchFolder folder;
  const auto refused = [&](const std::string& header) {
    write_raw(folder / "array.npy", with_header(header));
    return refusal(folder / "array.npy");
  };
  EXPECT_EQ(refused("{'descr': '<f8', 'fortran_order': False, 'shape': (1,), }  \n"), "");
  for (const char* header : {
           "",
           "\n",
           "{}\n",
           "{'descr': '<f8', 'fortran_order': False, 'shape': (1,), }",
           "{'descr': '<f8', 'fortran_order': False, 'shape': (1), }\n",
           "{'descr': '<f8', 'fortran_order': False, 'shape': (1,, }\n",
           "{'descr': '<f8', 'fortran_order': False, 'shape': (1,)\n",
           "{'descr': '<f8', 'fortran_order': False, 'shape': (01,), }\n",
           "{'descr': '<f8', 'fortran_order': False, 'shape': (+1,), }\n",
           "{'descr': '<f8', 'fortran_order': False, 'shape': (-1,), }\n",
           "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 1, ), }\n",
           "{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999,), }\n",
           "{'descr': '<f8', 'fortran_order': False, 'shape': (1,), 'more': 1, }\n",
           "{'descr': '<f8', 'fortran_order': None, 'shape': (1,), }\n",
           "{'descr': '<f8, 'fortran_order': False, 'shape': (1,), }\n",
           "{'descr': '<f8\n\x1b', 'fortran_order': False, 'shape': (1,), }\n",
           "{'descr': '<f8",
           "{'descr': '<f8', 'fortran_order': False, 'shape': (1,",
       }) {
    EXPECT_THAT(refused(header), HasSubstr("expected that of a plain array")) << header;
  }
  for (const char* shape : {"(2,)", "()", "(0,)", "(2305843009213693953,)", "(4294967296, 4294967296)"}) {
    const std::string header =
        std::string("{'descr': '<f4', 'fortran_order': False, 'shape': ") + shape + ", }\n";
    const bool fits = std::string(shape) == "(2,)";
    EXPECT_EQ(refused(header).find("do not fit shape") == std::string::npos, fits) << shape;
  }
}

TEST(Npy, RefusesOtherVersions) {
  const ScratchFolder folder;
  std::string bytes = read_file(storage_fixture("int64.npy"));
  bytes[6] = '\3';
  write_raw(folder / "array.npy", bytes);
  EXPECT_THAT(refusal(folder / "array.npy"), HasSubstr("version 3.0, expected 1.0 or 2.0"));
}

TEST(Npy, TruncationAtAnyByteIsRefusedInOneLine) {
  const ScratchFolder folder;
  for (const char* name : {"int64.npy", "version2.npy"}) {
    const std::string whole = read_file(storage_fixture(name));
    for (std::size_t size = 0; size < whole.size(); ++size) {
      write_raw(folder / "array.npy", whole.substr(0, size));
      const std::string message = refusal(folder / "array.npy");
      EXPECT_THAT(message, HasSubstr("array.npy: ")) << size << " bytes";
      EXPECT_THAT(message, Not(HasSubstr("\n"))) << size << " bytes";
    }
    write_raw(folder / "array.npy", whole + '\0');
    EXPECT_THAT(refusal(folder / "array.npy"), HasSubstr("do not fit shape"));
  }
}

TEST(Npy, AnyFlippedBitIsReadOrRefused) {
  const ScratchFolder folder;
  const std::string whole = read_file(storage_fixture("int64.npy"));
  int refused = 0;
  for (std::size_t bit = 0; bit < 8 * whole.size(); ++bit) {
    std::string bytes = whole;
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << (bit % 8)));
    write_raw(folder / "array.npy", bytes);
    try {
      EXPECT_LE(read_npy(folder / "array.npy").reals().size(), whole.size());
    } catch (const DataError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 500);
}

TEST(Npy, WriterRefusesShapesThatDoNotFit) {
  const ScratchFolder folder;
  const std::vector<double> values{1.0, 2.0};
  EXPECT_THROW(write_npy(folder / "array.npy", {3}, values), std::invalid_argument);
  EXPECT_THROW(write_npy(folder / "array.npy", Shape(30'000, 1), std::vector<double>{1.0}),
               std::invalid_argument);
  EXPECT_THROW(write_npy(folder / "missing/array.npy", {2}, values), std::filesystem::filesystem_error);
  EXPECT_EQ(folder.file_count(), 0U);
}

}  // namespace
}  // namespace ordinal::experiments

#include "experiments/results/npy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "framework/core/errors.h"
#include "framework/storage/atomic_file.h"
#include "tests/framework/storage/scratch_folder.h"
#include "tests/message_of.h"

namespace ordinal::experiments {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

template <typename T>
std::string refusal(const std::filesystem::path& path) {
  return message_of<DataError>([&] { read_npy<T>(path); });
}

template <typename T>
void expect_round_trip(const Shape& shape, const std::vector<T>& values) {
  const ScratchFolder folder;
  write_npy(folder / "array.npy", shape, std::span<const T>(values));
  EXPECT_EQ(read_npy<T>(folder / "array.npy").shape, shape);
  EXPECT_EQ(read_npy<T>(folder / "array.npy").values, values);
  EXPECT_EQ((read_file(folder / "array.npy").size() - values.size() * sizeof(T)) % 64, 0U) << "aligned";
}

TEST(Npy, RoundTripKeepsShapeAndValues) {
  const std::vector<double> doubles{0.1, -2.0, 1e300, 4.0, 5.0, std::numeric_limits<double>::denorm_min()};
  for (const Shape& shape : {Shape{6}, Shape{2, 3}, Shape{1, 2, 3, 1}}) expect_round_trip(shape, doubles);
  expect_round_trip<double>({}, {1.5});
  expect_round_trip<double>({0, 4}, {});
  expect_round_trip<double>(Shape(20, 1), {1.0});
  expect_round_trip<std::int64_t>({2}, {std::numeric_limits<std::int64_t>::min(), 9007199254740993});
}

TEST(Npy, WritesTheHeaderThatNumPyWrites) {
  // NumPy reserves room for a longer first extent, so only the padding may differ; both align to 64 bytes.
  const ScratchFolder folder;
  const NpyArray array = read_npy<std::int64_t>(storage_fixture("int64.npy"));
  write_npy(folder / "array.npy", array.shape, std::span<const std::int64_t>(array.values));
  EXPECT_EQ(read_file(folder / "array.npy"), read_file(storage_fixture("int64.npy")));
}

TEST(Npy, ReadsWhatNumPyWrites) {
  EXPECT_THAT(read_npy<std::int64_t>(storage_fixture("int64.npy")).values,
              ElementsAre(0, -1, 255, std::int64_t{1} << 40));
  const NpyArray scalar = read_npy<double>(storage_fixture("float64_scalar.npy"));
  EXPECT_EQ(scalar.shape, Shape{});
  EXPECT_THAT(scalar.values, ElementsAre(0.1));
}

TEST(Npy, SaysHowToSaveAnotherArray) {
  for (const char* name : {"int32_empty.npy", "float64_scalar.npy", "structured.npy"})
    EXPECT_THAT(refusal<std::int64_t>(storage_fixture(name)),
                HasSubstr(std::string(name) +
                          ": expected an array of <i8 in C order; save np.ascontiguousarray(array, '<i8')"));
  EXPECT_THAT(refusal<double>(storage_fixture("fortran.npy")), HasSubstr("array of <f8 in C order"));
  for (const char* name : {"version2.npy", "python.safetensors"})
    EXPECT_THAT(refusal<double>(storage_fixture(name)), HasSubstr("not a .npy file of format version 1.0"));
  EXPECT_THAT(refusal<double>(storage_fixture("missing.npy")),
              HasSubstr("missing.npy: No such file or directory"));
  EXPECT_THAT(refusal<double>(storage_fixture("")), HasSubstr("is a directory"));
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
    return refusal<double>(folder / "array.npy");
  };
  const std::string start = "{'descr': '<f8', 'fortran_order': False, 'shape': ";
  EXPECT_EQ(refused(start + "(1,), }  \n"), "");
  for (const std::string& header :
       {std::string(), std::string("\n"), std::string("{'descr': '<f8"), start + "(1,), }", start + "(1,",
        start + "(1), }\n", start + "(01,), }\n", start + "(+1,), }\n", start + "(1, 1, ), }\n",
        start + "(99999999999999999999,), }\n", start + "(1,), 'more': 1, }\n",
        std::string("{'descr': '<f8', 'fortran_order': None, 'shape': (1,), }\n")})
    EXPECT_THAT(refused(header), HasSubstr("expected an array of <f8")) << header;
  for (const char* shape : {"(2,)", "(-1,)", "(0,)", "(2305843009213693953,)", "(4294967296, 4294967296)"})
    EXPECT_THAT(refused(start + shape + ", }\n"), HasSubstr("do not fit shape")) << shape;
}

TEST(Npy, TruncationAtAnyByteIsRefusedInOneLine) {
  const ScratchFolder folder;
  const std::string whole = read_file(storage_fixture("int64.npy"));
  for (std::size_t size = 0; size < whole.size(); ++size) {
    write_raw(folder / "array.npy", whole.substr(0, size));
    const std::string message = refusal<std::int64_t>(folder / "array.npy");
    EXPECT_THAT(message, AllOf(HasSubstr("array.npy: "), Not(HasSubstr("\n")))) << size << " bytes";
  }
  write_raw(folder / "array.npy", whole + '\0');
  EXPECT_THAT(refusal<std::int64_t>(folder / "array.npy"), HasSubstr("do not fit shape"));
}

TEST(Npy, AnyFlippedBitOfTheHeaderIsRefused) {
  const ScratchFolder folder;
  const std::string whole = read_file(storage_fixture("int64.npy"));
  for (std::size_t bit = 0; bit < 8 * 128; ++bit) {
    std::string bytes = whole;
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << (bit % 8)));
    write_raw(folder / "array.npy", bytes);
    EXPECT_NE(refusal<std::int64_t>(folder / "array.npy"), "") << bit;
  }
}

TEST(Npy, IsWrittenIntoAFolderThatExists) {
  const ScratchFolder folder;
  const std::vector<double> values{1.0, 2.0};
  EXPECT_THROW(write_npy(folder / "missing/array.npy", {2}, std::span<const double>(values)),
               std::filesystem::filesystem_error);
}

}  // namespace
}  // namespace ordinal::experiments

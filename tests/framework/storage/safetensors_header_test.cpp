// Every kind of invalid file is rejected with a specific message.
#include "framework/storage/safetensors_header.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>

#include "framework/core/errors.h"
#include "framework/storage/atomic_file.h"
#include "framework/storage/safetensors.h"
#include "tests/framework/storage/scratch_folder.h"
#include "tests/message_of.h"

namespace ordinal {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// A file with any header length, header and number of data bytes, valid or not.
std::string file_bytes(std::uint64_t length, const std::string& json, std::size_t data_bytes) {
  std::string bytes(8, '\0');
  std::memcpy(bytes.data(), &length, 8);
  return bytes + json + std::string(data_bytes, '\1');
}

std::string file_bytes(const std::string& json, std::size_t data_bytes) {
  return file_bytes(json.size(), json, data_bytes);
}

std::string refusal(const std::string& file) {
  return message_of<CheckpointError>([&] { parse_safetensors_header(file); });
}

/// A header with the tensor "a" of 8 bytes as given and a correct "b" of 4 bytes behind it.
std::string with_a(const std::string& a) {
  return R"({"a":)" + a + R"(,"b":{"dtype":"F32","shape":[1],"data_offsets":[8,12]}})";
}

constexpr const char* kGoodA = R"({"dtype":"F32","shape":[2],"data_offsets":[0,8]})";

TEST(SafetensorsHeader, AcceptsTheFileThatTheOthersMutate) {
  const SafetensorsHeader header = parse_safetensors_header(file_bytes(with_a(kGoodA), 12));
  ASSERT_EQ(header.tensors.size(), 2U);
  EXPECT_EQ(header.tensors[1].name, "b");
  EXPECT_EQ(header.tensors[1].begin, 8);
  EXPECT_EQ(header.data_begin, static_cast<Index>(8 + with_a(kGoodA).size()));
}

TEST(SafetensorsHeader, OrdersTensorsByTheirData) {
  const std::string json = R"({"x":{"dtype":"I32","shape":[],"data_offsets":[4,8]},)"
                           R"("y":{"dtype":"F16","shape":[2],"data_offsets":[0,4]}})";
  const SafetensorsHeader header = parse_safetensors_header(file_bytes(json, 8));
  EXPECT_EQ(header.tensors[0].name, "y");
}

TEST(SafetensorsHeader, RefusesLengthsThatDoNotFit) {
  const std::string json = with_a(kGoodA);
  EXPECT_THAT(refusal(""), HasSubstr("not a safetensors file: it does not start with"));
  EXPECT_THAT(refusal("1234567"), HasSubstr("not a safetensors file: it does not start with"));
  EXPECT_THAT(refusal(file_bytes(json.size() + 13, json, 12)), HasSubstr("truncated: the header"));
  EXPECT_THAT(refusal(file_bytes(50'000'000, json, 12)), HasSubstr("truncated: the header"));
  EXPECT_THAT(refusal(file_bytes(100'000'001, json, 12)), HasSubstr("not a safetensors file"));
  EXPECT_THAT(refusal(file_bytes(UINT64_MAX, json, 12)), HasSubstr("not a safetensors file"));
  EXPECT_THAT(refusal(file_bytes(std::uint64_t{1} << 63, json, 12)), HasSubstr("not a safetensors file"));
  EXPECT_THAT(refusal(file_bytes(json.size() - 1, json, 12)), HasSubstr("not valid JSON"));
  EXPECT_THAT(refusal(file_bytes(0, json, 12)), HasSubstr("not valid JSON"));
}

TEST(SafetensorsHeader, RecognisesOtherFormats) {
  EXPECT_THAT(refusal(std::string("PK\x03\x04", 4) + std::string(100, '\0')), HasSubstr("torch.save"));
  EXPECT_THAT(refusal("{\"json\": \"but no length before it\"}"), HasSubstr("not a safetensors file"));
  EXPECT_THAT(refusal(std::string(64, '\0')), HasSubstr("not a safetensors file"));
}

TEST(SafetensorsHeader, RefusesMissingAndTrailingData) {
  EXPECT_THAT(refusal(file_bytes(with_a(kGoodA), 11)), HasSubstr("truncated: 11 bytes of data, expected 12"));
  EXPECT_THAT(refusal(file_bytes(with_a(kGoodA), 13)), HasSubstr("bytes after the last tensor: 13 bytes"));
  EXPECT_THAT(refusal(file_bytes("{}", 1)), HasSubstr("bytes after the last tensor"));
}

TEST(SafetensorsHeader, RefusesJsonNestedWithoutEnd) {
  EXPECT_THAT(refusal(file_bytes("{\"a\":" + std::string(1'000'000, '['), 0)), HasSubstr("nested deeper"));
}

struct WrongHeader {
  const char* what;
  std::string json;
  const char* message;
};

class WrongSafetensorsHeader : public ::testing::TestWithParam<WrongHeader> {};

TEST_P(WrongSafetensorsHeader, IsRefusedInOneLine) {
  const std::string message = refusal(file_bytes(GetParam().json, 12));
  EXPECT_THAT(message, HasSubstr(GetParam().message));
  EXPECT_THAT(message, Not(HasSubstr("\n")));
}

const WrongHeader kWrongHeaders[] = {
    {"Unfinished", R"({"a":)", "not valid JSON"},
    {"TextAfterTheObject", with_a(kGoodA) + "x", "not valid JSON"},
    {"NotUtf8", "{\"\xff\":1}", "not valid JSON"},
    {"NumberBeyondDouble", R"({"a":1e999})", "not valid JSON"},
    {"DuplicateName", R"({"a":)" + std::string(kGoodA) + R"(,"a":)" + kGoodA + "}", "\"a\" occurs twice"},
    {"DuplicateEscapedName", R"({"a":)" + std::string(kGoodA) + R"(,"\u0061":)" + kGoodA + "}",
     "occurs twice"},
    {"DuplicateField", with_a(R"({"dtype":"F64","dtype":"F32","shape":[2],"data_offsets":[0,8]})"),
     "\"dtype\" occurs twice"},
    {"DuplicateMetadata", R"({"__metadata__":{"k":"1","k":"2"}})", "\"k\" occurs twice"},
    {"MetadataIsAList", R"({"__metadata__":["a"]})", "__metadata__ is not an object"},
    {"MetadataIsANumber", R"({"__metadata__":{"step":3}})", "metadata \"step\" is not a text"},
    {"EntryIsAList", with_a("[1]"), "tensor \"a\": expected exactly the fields"},
    {"EntryIsNull", with_a("null"), "expected exactly the fields"},
    {"NoDtype", with_a(R"({"shape":[2],"data_offsets":[0,8]})"), "expected exactly the fields"},
    {"NoShape", with_a(R"({"dtype":"F32","data_offsets":[0,8]})"), "expected exactly the fields"},
    {"NoOffsets", with_a(R"({"dtype":"F32","shape":[2]})"), "expected exactly the fields"},
    {"ExtraField", with_a(R"({"dtype":"F32","shape":[2],"data_offsets":[0,8],"x":1})"),
     "expected exactly the fields"},
    {"OtherField", with_a(R"({"dtype":"F32","shape":[2],"offsets":[0,8]})"), "expected exactly the fields"},
    {"UnknownDtype", with_a(R"({"dtype":"F99","shape":[2],"data_offsets":[0,8]})"),
     "dtype \"F99\" is unknown"},
    {"DtypeIsANumber", with_a(R"({"dtype":32,"shape":[2],"data_offsets":[0,8]})"), "dtype 32 is unknown"},
    {"ShapeIsANumber", with_a(R"({"dtype":"F32","shape":2,"data_offsets":[0,8]})"),
     "expected a list of sizes"},
    {"ShapeIsNegative", with_a(R"({"dtype":"F32","shape":[-2],"data_offsets":[0,8]})"),
     "expected a list of sizes"},
    {"ShapesAreNegative", with_a(R"({"dtype":"F32","shape":[-1,-2],"data_offsets":[0,8]})"),
     "expected a list of sizes"},
    {"ShapeIsAFraction", with_a(R"({"dtype":"F32","shape":[2.0],"data_offsets":[0,8]})"),
     "expected a list of sizes"},
    {"ShapeIsAText", with_a(R"({"dtype":"F32","shape":["2"],"data_offsets":[0,8]})"),
     "expected a list of sizes"},
    {"ShapeBeyondInt64", with_a(R"({"dtype":"F32","shape":[9223372036854775808],"data_offsets":[0,8]})"),
     "expected a list of sizes"},
    {"ShapeBeyondUint64", with_a(R"({"dtype":"F32","shape":[18446744073709551618],"data_offsets":[0,8]})"),
     "expected a list of sizes"},
    {"ShapeTooLarge", with_a(R"({"dtype":"F32","shape":[3],"data_offsets":[0,8]})"),
     "do not fit shape (3) of F32"},
    {"ShapeTooSmall", with_a(R"({"dtype":"F32","shape":[1],"data_offsets":[0,8]})"), "do not fit"},
    {"DtypeTooWide", with_a(R"({"dtype":"F64","shape":[2],"data_offsets":[0,8]})"), "do not fit"},
    {"ProductWrapsAround",  // 8 * 2^61 bytes + 8 bytes is 8 bytes modulo 2^64
     with_a(R"({"dtype":"F64","shape":[2305843009213693953],"data_offsets":[0,8]})"), "do not fit"},
    {"ProductOfThreeWrapsAround",
     with_a(R"({"dtype":"F16","shape":[4194305,4194305,211106198978564],"data_offsets":[0,8]})"),
     "do not fit"},
    {"EmptyButOverflowing",
     R"({"a":{"dtype":"F32","shape":[0,9223372036854775807,9223372036854775807],"data_offsets":[0,0]}})",
     "do not fit"},
    {"OneOffset", with_a(R"({"dtype":"F32","shape":[2],"data_offsets":[8]})"), "its begin and end"},
    {"ThreeOffsets", with_a(R"({"dtype":"F32","shape":[2],"data_offsets":[0,8,8]})"), "its begin and end"},
    {"OffsetsReversed", with_a(R"({"dtype":"F32","shape":[2],"data_offsets":[8,0]})"), "its begin and end"},
    {"OffsetNegative", with_a(R"({"dtype":"F32","shape":[2],"data_offsets":[-8,0]})"),
     "expected a list of sizes"},
    {"OffsetsOverlapInPart",
     R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"b":{"dtype":"F32","shape":[2],"data_offsets":[4,12]}})",
     "tensor \"b\": its data begins at 4, expected 8"},
    {"EmptyTensorInsideAnother",
     R"({"a":{"dtype":"F32","shape":[3],"data_offsets":[0,12]},"b":{"dtype":"F32","shape":[0],"data_offsets":[4,4]}})",
     "its data begins at 4, expected 12"},
    {"OffsetsOverlapTheEnd", with_a(R"({"dtype":"F32","shape":[2],"data_offsets":[4,12]})"),
     "a hole or an overlap"},
    {"OffsetsEqual", with_a(R"({"dtype":"F32","shape":[1],"data_offsets":[8,12]})"), "a hole or an overlap"},
    {"OffsetsLeaveAHole", with_a(R"({"dtype":"F32","shape":[1],"data_offsets":[0,4]})"),
     "a hole or an overlap"},
    {"OffsetsStartLate", R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[4,12]}})",
     "a hole or an overlap"},
    {"EmptyTensorOutOfPlace", with_a(R"({"dtype":"F32","shape":[0],"data_offsets":[4,4]})"),
     "a hole or an overlap"},
    {"OffsetsBeyondTheFile", R"({"a":{"dtype":"F32","shape":[4],"data_offsets":[0,16]}})", "truncated"},
    {"OffsetsFarBeyondTheFile",
     R"({"a":{"dtype":"F32","shape":[2305843009213693951],"data_offsets":[0,9223372036854775804]}})",
     "do not fit"},
};

/// Prints the case by its name instead of its bytes.
void PrintTo(const WrongHeader& header, std::ostream* out) { *out << header.what; }

INSTANTIATE_TEST_SUITE_P(Each, WrongSafetensorsHeader, ::testing::ValuesIn(kWrongHeaders),
                         [](const auto& info) { return std::string(info.param.what); });

/// Opens `bytes` as a file and reads all of it; true on success. Exceptions other than CheckpointError
/// propagate.
bool readable(const std::filesystem::path& path, const std::string& bytes) {
  write_raw(path, bytes);
  try {
    const SafetensorsFile file(path);
    for (const std::string& name : file.names()) {
      const std::string& type = file.get(name).type;
      const bool integer = type.starts_with('I');
      const std::size_t count =
          integer ? file.values<std::int64_t>(name).size() : file.values<double>(name).size();
      EXPECT_LE(count, bytes.size());
    }
    return true;
  } catch (const CheckpointError& error) {
    EXPECT_THAT(error.what(), HasSubstr(path.string()));
    EXPECT_THAT(error.what(), Not(HasSubstr("\n")));
    return false;
  }
}

TEST(CorruptSafetensors, TruncationAtAnyByteIsRefused) {
  const ScratchFolder folder;
  const std::string whole = read_file(storage_fixture("python.safetensors"));
  ASSERT_TRUE(readable(folder / "file", whole));
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(readable(folder / "file", whole.substr(0, size))) << size << " bytes";
  }
  EXPECT_FALSE(readable(folder / "file", whole + '\0'));
}

TEST(CorruptSafetensors, AnyFlippedBitIsReadOrRefused) {
  const ScratchFolder folder;
  const std::string whole = read_file(storage_fixture("python.safetensors"));
  int refused = 0;
  for (std::size_t bit = 0; bit < 8 * whole.size(); ++bit) {
    std::string bytes = whole;
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << (bit % 8)));
    if (!readable(folder / "file", bytes)) ++refused;
  }
  EXPECT_GT(refused, 1000);
}

}  // namespace
}  // namespace ordinal

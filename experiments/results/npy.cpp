#include "experiments/results/npy.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <string_view>

#include "framework/core/errors.h"
#include "framework/core/text.h"
#include "framework/storage/atomic_file.h"
#include "framework/storage/byte_count.h"

namespace ordinal::experiments {
namespace {

static_assert(std::endian::native == std::endian::little, "the .npy files handled here are little-endian");

const std::string magic = "\x93NUMPY";
constexpr std::size_t alignment = 64;

[[noreturn]] void refuse(const std::string& source, const std::string& reason) {
  throw DataError(fmt::format("{}: {}", source, reason));
}

/// Calls `use` with a value of the type that the dtype names, and returns its result.
template <typename Use>
auto with_type(const NpyArray& array, const Use& use) {
  const std::string& dtype = array.dtype;
  if (dtype == "|b1" || dtype == "|u1") return use(std::uint8_t{});
  if (dtype == "|i1") return use(std::int8_t{});
  if (dtype == "<i2") return use(std::int16_t{});
  if (dtype == "<u2") return use(std::uint16_t{});
  if (dtype == "<i4") return use(std::int32_t{});
  if (dtype == "<u4") return use(std::uint32_t{});
  if (dtype == "<i8") return use(std::int64_t{});
  if (dtype == "<u8") return use(std::uint64_t{});
  if (dtype == "<f4") return use(float{});
  if (dtype == "<f8") return use(double{});
  refuse(array.source, "dtype " + printable(dtype) +
                           " is not supported, expected bool, an integer, float32 or float64, little-endian");
}

template <typename T>
std::vector<T> converted(const NpyArray& array) {
  return with_type(array, [&](auto stored) {
    std::vector<T> values(array.contents.size() / sizeof(stored));
    for (std::size_t i = 0; i < values.size(); ++i) {
      std::memcpy(&stored, array.contents.data() + i * sizeof(stored), sizeof(stored));
      values[i] = static_cast<T>(stored);  // NOLINT(bugprone-signed-char-misuse): int8 is a number here
    }
    return values;
  });
}

/// The dict literal exactly as NumPy writes it, without the padding.
std::string header_text(const std::string& dtype, const char* fortran_order, const Shape& shape) {
  const std::string tuple = shape.size() == 1 ? fmt::format("({},)", shape[0]) : to_string(shape);
  return fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': {}, }}", dtype, fortran_order, tuple);
}

/// Reads the dtype and the shape from the header that NumPy writes for a plain array. Reads the words regardless of the
/// marks between them. The words must then reproduce the text, so only one spelling of the literal is accepted.
void read_header(NpyArray& array, const std::string& text) {
  const std::string literal = text.substr(0, text.find_last_not_of(" \n") + 1);
  std::string words = literal;
  const auto is_mark = [](char c) { return std::string_view("{}(),':").find(c) != std::string_view::npos; };
  std::ranges::replace_if(words, is_mark, ' ');
  std::istringstream stream(words);
  std::string key;
  stream >> key >> array.dtype >> key >> key >> key;
  for (std::string word; stream >> word;) array.shape.push_back(parse_integer(word).value_or(-1));
  if (literal == header_text(array.dtype, "True", array.shape))
    refuse(array.source, "array in Fortran order, expected C order; save np.ascontiguousarray(array)");
  const bool is_plain = text.ends_with('\n') && literal == header_text(array.dtype, "False", array.shape);
  if (!is_plain || std::ranges::any_of(array.shape, [](Index extent) { return extent < 0; }))
    refuse(array.source, "corrupt or structured .npy header, expected that of a plain array");
}

/// Removes the first `count` bytes of `rest` and returns them.
std::string taken(const std::string& source, std::string_view& rest, std::size_t count) {
  if (count > rest.size())
    refuse(source, fmt::format("truncated: {} bytes where {} are expected", rest.size(), count));
  std::string part(rest.substr(0, count));
  rest.remove_prefix(count);
  return part;
}

template <typename T>
void write_values(const LockedPath& path, const Shape& shape, const char* dtype, std::span<const T> values) {
  if (element_count(shape) != static_cast<Index>(values.size())) {
    throw std::invalid_argument(fmt::format("write_npy: shape {}: got {} values, expected {}",
                                            to_string(shape), values.size(), element_count(shape)));
  }
  std::string header = header_text(dtype, "False", shape);
  const std::size_t before = magic.size() + 2 + 2;  // magic, version, length of the header
  header.append(alignment - 1 - (before + header.size()) % alignment, ' ');
  header += '\n';
  if (header.size() > std::numeric_limits<std::uint16_t>::max()) {
    throw std::invalid_argument(
        fmt::format("write_npy: rank {} is too large for a .npy header", shape.size()));
  }
  const std::string start = magic + std::string("\1\0", 2) + static_cast<char>(header.size() % 256) +
                            static_cast<char>(header.size() / 256) + header;
  write_file_atomically(path, std::array<Bytes, 2>{std::as_bytes(std::span(start)), std::as_bytes(values)});
}

}  // namespace

std::vector<std::int64_t> NpyArray::integers() const {
  if (dtype.find('f') != std::string::npos)
    refuse(source, fmt::format("dtype {}, expected integers (such as np.int64)", dtype));
  std::vector<std::int64_t> values = converted<std::int64_t>(*this);
  // Only uint64 can wrap, and it wraps to a negative number.
  if (dtype == "<u8" && std::ranges::any_of(values, [](std::int64_t value) { return value < 0; }))
    refuse(source, "a value exceeds the largest int64");
  return values;
}

std::vector<double> NpyArray::reals() const { return converted<double>(*this); }

NpyArray read_npy(const std::filesystem::path& path) {
  NpyArray array{.source = path.string()};
  const std::string file = read_file(path);
  std::string_view rest = file;
  if (!rest.starts_with(magic)) refuse(array.source, "not a .npy file: it does not start with \\x93NUMPY");
  rest.remove_prefix(magic.size());
  const std::string version = taken(array.source, rest, 2);
  if (version[1] != 0 || (version[0] != 1 && version[0] != 2)) {
    refuse(array.source,
           fmt::format(".npy format version {}.{}, expected 1.0 or 2.0",
                       static_cast<unsigned char>(version[0]), static_cast<unsigned char>(version[1])));
  }
  const std::string bytes = taken(array.source, rest, version[0] == 1 ? 2 : 4);  // little-endian
  std::size_t length = 0;
  std::memcpy(&length, bytes.data(), bytes.size());
  read_header(array, taken(array.source, rest, length));
  const Index size = with_type(array, [](auto value) { return Index{sizeof(value)}; });
  if (checked_byte_count(array.shape, size) != static_cast<Index>(rest.size())) {
    refuse(array.source, fmt::format("{} bytes of data do not fit shape {} of {}", rest.size(),
                                     to_string(array.shape), array.dtype));
  }
  array.contents = rest;
  return array;
}

void write_npy(const LockedPath& path, const Shape& shape, std::span<const double> values) {
  write_values(path, shape, "<f8", values);
}

void write_npy(const LockedPath& path, const Shape& shape, std::span<const std::int64_t> values) {
  write_values(path, shape, "<i8", values);
}

}  // namespace ordinal::experiments

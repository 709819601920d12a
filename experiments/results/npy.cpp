#include "experiments/results/npy.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <concepts>
#include <cstring>
#include <sstream>

#include "framework/core/errors.h"
#include "framework/storage/atomic_file.h"

namespace ordinal::experiments {
namespace {

static_assert(std::endian::native == std::endian::little, "the .npy files handled here are little-endian");

const std::string magic("\x93NUMPY\1\0", 8);  // with the version of the format, 1.0
constexpr std::size_t before_header = 10;     // magic, and two bytes for the length of the header
constexpr std::size_t alignment = 64;

template <typename T>
constexpr const char* dtype = std::same_as<T, double> ? "<f8" : "<i8";

/// The dict literal exactly as NumPy writes it, without the padding.
template <typename T>
std::string literal_of(const Shape& shape) {
  const std::string tuple = shape.size() == 1 ? fmt::format("({},)", shape[0]) : ordinal::to_string(shape);
  return fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}", dtype<T>, tuple);
}

/// The numbers after the first parenthesis of a header.
Shape shape_in(const std::string& header) {
  std::istringstream rest(header.substr(header.find('(') + 1));
  Shape shape;
  for (Index extent = 0; rest >> extent; rest.ignore()) shape.push_back(extent);
  return shape;
}

}  // namespace

template <typename T>
NpyArray<T> read_npy(const std::filesystem::path& path) {
  const std::string file = read_file(path);
  const auto require = [&](bool holds, const std::string& problem) {
    if (!holds) throw DataError(fmt::format("{}: {}", path.string(), problem));
  };
  require(file.starts_with(magic) && file.size() >= before_header, "not a .npy file of format version 1.0");
  std::uint16_t length = 0;
  std::memcpy(&length, file.data() + magic.size(), sizeof(length));
  const std::string header = file.substr(before_header, length);
  const Shape shape = shape_in(header);
  const std::string literal = header.substr(0, header.find_last_not_of(" \n") + 1);
  require(
      literal == literal_of<T>(shape) && header.ends_with('\n'),
      fmt::format("expected an array of {0} in C order; save np.ascontiguousarray(array, '{0}')", dtype<T>));
  const std::size_t bytes = file.size() - before_header - header.size();
  require(
      checked_element_count(shape).value_or(-1) * static_cast<Index>(sizeof(T)) == static_cast<Index>(bytes),
      fmt::format("{} bytes of data do not fit shape {} of {}", bytes, ordinal::to_string(shape), dtype<T>));
  std::vector<T> values(bytes / sizeof(T));
  if (bytes > 0) std::memcpy(values.data(), file.data() + file.size() - bytes, bytes);
  return {shape, values};
}

template <typename T>
void write_npy(const LockedPath& path, const Shape& shape, std::span<const T> values) {
  std::string header = literal_of<T>(shape);
  header.append(alignment - 1 - (before_header + header.size()) % alignment, ' ');
  header += '\n';
  const std::string start =
      magic + static_cast<char>(header.size() % 256) + static_cast<char>(header.size() / 256) + header;
  write_file_atomically(path, std::array<Bytes, 2>{std::as_bytes(std::span(start)), std::as_bytes(values)});
}

template NpyArray<double> read_npy(const std::filesystem::path&);
template NpyArray<std::int64_t> read_npy(const std::filesystem::path&);
template void write_npy(const LockedPath&, const Shape&, std::span<const double>);
template void write_npy(const LockedPath&, const Shape&, std::span<const std::int64_t>);

}  // namespace ordinal::experiments

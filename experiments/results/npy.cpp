#include "experiments/results/npy.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstring>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string_view>

#include "framework/core/errors.h"
#include "framework/storage/atomic_file.h"
#include "framework/storage/byte_count.h"

namespace ordinal::experiments {
namespace {

static_assert(std::endian::native == std::endian::little, "the .npy files handled here are little-endian");

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kAlignment = 64;

struct DtypeFacts {
  std::string_view name;
  Index bytes;
};

constexpr std::array<DtypeFacts, 11> kDtypes{{{"|b1", 1},
                                              {"|i1", 1},
                                              {"|u1", 1},
                                              {"<i2", 2},
                                              {"<u2", 2},
                                              {"<i4", 4},
                                              {"<u4", 4},
                                              {"<i8", 8},
                                              {"<u8", 8},
                                              {"<f4", 4},
                                              {"<f8", 8}}};

struct Header {
  std::string dtype;
  bool fortran_order = false;
  Shape shape;
};

/// The dict literal exactly as NumPy writes it, without the padding.
std::string render(const Header& header) {
  std::string extents;
  for (const Index extent : header.shape) extents += fmt::format("{}, ", extent);
  if (header.shape.size() == 1) extents.pop_back();                 // (3,)
  if (header.shape.size() > 1) extents.resize(extents.size() - 2);  // (3, 4)
  return fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': ({}), }}", header.dtype,
                     header.fortran_order ? "True" : "False", extents);
}

/// Removes `prefix` from the front of `text` if present.
bool take(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

std::optional<Shape> take_extents(std::string_view& text) {
  Shape shape;
  while (!text.starts_with(')')) {
    Index extent = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), extent);
    if (error != std::errc() || extent < 0) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    shape.push_back(extent);
    take(text, ",");
    take(text, " ");
  }
  return shape;
}

/// Nothing unless `text` is what NumPy writes for a plain array: the parsed header must render to the same
/// text, so only one spelling of the literal is accepted.
std::optional<Header> parse(std::string_view text) {
  if (!text.ends_with('\n')) return std::nullopt;
  text.remove_suffix(1);
  text = text.substr(0, text.find_last_not_of(' ') + 1);
  const std::string_view whole = text;

  Header header;
  if (!take(text, "{'descr': '")) return std::nullopt;
  header.dtype = text.substr(0, text.find('\''));
  if (!std::ranges::all_of(header.dtype, [](char c) { return c > ' ' && c <= '~'; })) return std::nullopt;
  text.remove_prefix(header.dtype.size());
  if (!take(text, "', 'fortran_order': ")) return std::nullopt;
  header.fortran_order = take(text, "True");
  if (!header.fortran_order && !take(text, "False")) return std::nullopt;
  if (!take(text, ", 'shape': (")) return std::nullopt;
  const std::optional<Shape> shape = take_extents(text);
  if (!shape) return std::nullopt;
  header.shape = *shape;
  return render(header) == whole ? std::optional(header) : std::nullopt;
}

/// One file that is being read: the part not yet consumed, and a name for messages.
class Reader {
 public:
  Reader(const std::string& source, std::string_view text) : source_(source), rest_(text) {}

  [[noreturn]] void refuse(const std::string& reason) const {
    throw DataError(fmt::format("{}: {}", source_, reason));
  }

  std::string_view next(std::size_t count) {
    if (count > rest_.size()) {
      refuse(fmt::format("truncated: {} bytes where {} are expected", rest_.size(), count));
    }
    const std::string_view part = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return part;
  }

  /// A little-endian unsigned integer of `count` bytes.
  std::size_t next_length(std::size_t count) {
    std::uint64_t length = 0;
    std::memcpy(&length, next(count).data(), count);
    return length;
  }

  Header header() {
    if (!take(rest_, kMagic)) refuse("not a .npy file: it does not start with \\x93NUMPY");
    const std::string_view version = next(2);
    const bool first = version == std::string_view("\1\0", 2);
    if (!first && version != std::string_view("\2\0", 2)) {
      refuse(fmt::format(".npy format version {}.{}, expected 1.0 or 2.0",
                         static_cast<unsigned char>(version[0]), static_cast<unsigned char>(version[1])));
    }
    const std::optional<Header> header = parse(next(next_length(first ? 2 : 4)));
    if (!header) refuse("corrupt or structured .npy header, expected that of a plain array");
    return *header;
  }

  std::string_view rest() const { return rest_; }

 private:
  const std::string& source_;
  std::string_view rest_;
};

template <typename Stored, typename T>
std::vector<T> convert(const NpyArray& array) {
  std::vector<T> values(array.contents.size() / sizeof(Stored));
  const char* source = array.contents.data();
  for (T& value : values) {
    Stored stored{};
    std::memcpy(&stored, source, sizeof(Stored));
    value = static_cast<T>(stored);  // NOLINT(bugprone-signed-char-misuse): int8 is a number here
    source += sizeof(Stored);
  }
  return values;
}

template <typename T>
std::vector<T> convert_integers(const NpyArray& array) {
  if (array.dtype == "|i1") return convert<std::int8_t, T>(array);
  if (array.dtype == "<i2") return convert<std::int16_t, T>(array);
  if (array.dtype == "<u2") return convert<std::uint16_t, T>(array);
  if (array.dtype == "<i4") return convert<std::int32_t, T>(array);
  if (array.dtype == "<u4") return convert<std::uint32_t, T>(array);
  if (array.dtype == "<i8") return convert<std::int64_t, T>(array);
  if (array.dtype == "<u8") return convert<std::uint64_t, T>(array);
  return convert<std::uint8_t, T>(array);  // |u1, and |b1, which holds 0 and 1
}

template <typename T>
void write_values(const LockedPath& path, const Shape& shape, const char* dtype, std::span<const T> values) {
  if (element_count(shape) != static_cast<Index>(values.size())) {
    throw std::invalid_argument(fmt::format("write_npy: shape {}: got {} values, expected {}",
                                            to_string(shape), values.size(), element_count(shape)));
  }
  constexpr std::size_t bytes_before = kMagic.size() + 2 + 2;  // magic, version, length of the header
  std::string text = render({dtype, false, shape});
  const std::size_t used = bytes_before + text.size() + 1;
  text.append((kAlignment - used % kAlignment) % kAlignment, ' ');
  text += '\n';
  if (text.size() > std::numeric_limits<std::uint16_t>::max()) {
    throw std::invalid_argument(
        fmt::format("write_npy: rank {} is too large for a .npy header", shape.size()));
  }
  const auto length = static_cast<std::uint16_t>(text.size());
  std::string before = std::string(kMagic) + std::string("\1\0", 2) + std::string(2, '\0');
  std::memcpy(before.data() + bytes_before - 2, &length, 2);
  const std::string header = before + text;
  const std::array<Bytes, 2> chunks{std::as_bytes(std::span(header)), std::as_bytes(values)};
  write_file_atomically(path, chunks);
}

}  // namespace

std::vector<std::int64_t> NpyArray::integers() const {
  if (dtype.find('f') != std::string::npos) {
    throw DataError(fmt::format("{}: dtype {}, expected integers (such as np.int64)", source, dtype));
  }
  std::vector<std::int64_t> values = convert_integers<std::int64_t>(*this);
  // Only uint64 can wrap, and it wraps to a negative number.
  if (dtype == "<u8" && std::any_of(values.begin(), values.end(), [](std::int64_t v) { return v < 0; })) {
    throw DataError(fmt::format("{}: a value exceeds the largest int64", source));
  }
  return values;
}

std::vector<double> NpyArray::reals() const {
  if (dtype == "<f4") return convert<float, double>(*this);
  if (dtype == "<f8") return convert<double, double>(*this);
  return convert_integers<double>(*this);
}

NpyArray read_npy(const std::filesystem::path& path) {
  NpyArray array;
  array.source = path.string();
  const std::string file = read_file(path);
  Reader reader(array.source, file);
  const Header header = reader.header();
  array.shape = header.shape;
  array.dtype = header.dtype;
  const auto* known = std::find_if(kDtypes.begin(), kDtypes.end(),
                                   [&](const DtypeFacts& d) { return d.name == header.dtype; });
  if (known == kDtypes.end()) {
    reader.refuse(
        fmt::format("dtype {} is not supported, expected bool, an integer, float32 or float64, "
                    "little-endian",
                    header.dtype));
  }
  if (header.fortran_order) {
    reader.refuse("array in Fortran order, expected C order; save np.ascontiguousarray(array)");
  }
  const auto got = static_cast<Index>(reader.rest().size());
  if (checked_byte_count(header.shape, known->bytes) != got) {
    reader.refuse(fmt::format("{} bytes of data do not fit shape {} of {}", got, to_string(header.shape),
                              header.dtype));
  }
  array.contents = reader.rest();
  return array;
}

void write_npy(const LockedPath& path, const Shape& shape, std::span<const float> values) {
  write_values(path, shape, "<f4", values);
}

void write_npy(const LockedPath& path, const Shape& shape, std::span<const double> values) {
  write_values(path, shape, "<f8", values);
}

void write_npy(const LockedPath& path, const Shape& shape, std::span<const std::int64_t> values) {
  write_values(path, shape, "<i8", values);
}

}  // namespace ordinal::experiments

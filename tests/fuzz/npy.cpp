// Files of NumPy. A text that begins with { is the header of a file, up to its first line break, and the data after it.
#include "experiments/results/npy.h"

#include "tests/fuzz/targets.h"

namespace ordinal::fuzz {
namespace {

std::string with_header(const std::string& input) {
  if (!input.starts_with('{')) return input;
  const std::size_t length = std::min(input.find('\n'), input.size() - 1) + 1;
  const std::string size = {static_cast<char>(length & 0xFFU), static_cast<char>((length >> 8U) & 0xFFU)};
  return std::string("\x93NUMPY\x01\x00", 8) + size + input;
}

}  // namespace

void npy(const std::string& input) {
  const auto path = file_of(with_header(input), "array.npy");
  experiments::NpyArray<std::int64_t> array;
  if (!accepts([&] { array = experiments::read_npy<std::int64_t>(path); })) return;
  if (std::ssize(array.values) != element_count(array.shape)) finding("values that do not fit the shape");
}

}  // namespace ordinal::fuzz

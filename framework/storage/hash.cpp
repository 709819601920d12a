#include "framework/storage/hash.h"

#include <fmt/format.h>

namespace ordinal {

void Fnv1a64::update(std::span<const std::byte> bytes) {
  constexpr std::uint64_t prime = 1099511628211ULL;
  for (const std::byte byte : bytes) hash_ = (hash_ ^ std::to_integer<std::uint64_t>(byte)) * prime;
}

std::string Fnv1a64::hex() const { return fmt::format("{:016x}", hash_); }

std::string fnv1a64_hex(std::span<const std::byte> bytes) {
  Fnv1a64 hash;
  hash.update(bytes);
  return hash.hex();
}

}  // namespace ordinal

// A content hash that identifies files and weights in a manifest. It detects accidental changes, not
// forgeries: FNV-1a is not a cryptographic hash.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace ordinal::experiments {

/// FNV-1a with 64 bits: for each byte, h = (h xor byte) * 1099511628211 mod 2^64, from
/// h = 14695981039346656037. The pieces given to update() count as one text.
/// Source: Fowler, Noll, Vo and Eastlake, "The FNV Non-Cryptographic Hash Algorithm".
class Fnv1a64 {
 public:
  void update(std::span<const std::byte> bytes) {
    constexpr std::uint64_t prime = 1099511628211ULL;
    for (const std::byte byte : bytes) hash_ = (hash_ ^ std::to_integer<std::uint64_t>(byte)) * prime;
  }
  std::uint64_t value() const { return hash_; }
  /// Sixteen lower-case hexadecimal digits.
  std::string hex() const { return fmt::format("{:016x}", hash_); }

 private:
  std::uint64_t hash_ = 14695981039346656037ULL;
};

/// The hash of one piece of memory; for text, pass std::as_bytes(std::span(text)).
inline std::string fnv1a64_hex(std::span<const std::byte> bytes) {
  Fnv1a64 hash;
  hash.update(bytes);
  return hash.hex();
}

}  // namespace ordinal::experiments

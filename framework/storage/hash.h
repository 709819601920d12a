// A content hash that identifies files and weights in a manifest. It detects accidental changes, not
// forgeries: FNV-1a is not a cryptographic hash.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace ordinal {

/// FNV-1a with 64 bits: for each byte, h = (h xor byte) * 1099511628211 mod 2^64, from
/// h = 14695981039346656037. The pieces given to update() count as one text.
/// Source: Fowler, Noll, Vo and Eastlake, "The FNV Non-Cryptographic Hash Algorithm".
class Fnv1a64 {
 public:
  void update(std::span<const std::byte> bytes);
  std::uint64_t value() const { return hash_; }
  /// Sixteen lower-case hexadecimal digits.
  std::string hex() const;

 private:
  std::uint64_t hash_ = 14695981039346656037ULL;
};

/// The hash of one piece of memory; for text, pass std::as_bytes(std::span(text)).
std::string fnv1a64_hex(std::span<const std::byte> bytes);

}  // namespace ordinal

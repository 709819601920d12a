// Counter-based random numbers keyed by (seed, purpose, step, example), so results do not depend on the
// number of threads or on earlier draws, and a checkpoint needs no generator state.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace ordinal {

/// FNV-1a hash of a name, used to derive a purpose for each parameter or layer.
constexpr std::uint32_t hash_name(std::string_view name) {
  std::uint32_t hash = 2166136261U;
  for (const char c : name) hash = (hash ^ static_cast<std::uint8_t>(c)) * 16777619U;
  return hash;
}

/// The key of a stream of random numbers. Two streams with different keys are independent.
struct RandomKey {
  std::uint64_t seed = 0;
  std::uint32_t purpose = 0;  // hash_name("dropout"), hash_name("block.0.attention.qkv.weight"), ...
  std::uint32_t step = 0;
  std::uint32_t example = 0;
};

/// A stream of Philox4x32-10 numbers (Salmon et al. 2011) for one key; the same key gives the same stream.
class Random {
 public:
  explicit Random(const RandomKey& key);

  /// Uniform 32 bits.
  std::uint32_t bits();
  /// Uniform in [0, 1) with 53 bits.
  double uniform();
  /// Uniform whole number in [0, bound), without modulo bias; bound >= 1, else std::invalid_argument.
  std::uint64_t below(std::uint64_t bound);
  /// Standard normal N(0, 1), by the Box-Muller transform.
  double normal();

 private:
  void refill();

  std::array<std::uint32_t, 2> key_;
  std::array<std::uint32_t, 4> counter_;
  std::array<std::uint32_t, 4> block_{};
  std::uint32_t used_ = 4;
};

}  // namespace ordinal

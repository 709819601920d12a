#include "framework/core/random.h"

#include <Random123/philox.h>

#include <bit>
#include <cmath>
#include <numbers>
#include <stdexcept>

namespace ordinal {

// Philox takes a 64-bit key and a 128-bit counter: the seed is the key; purpose, step and example are three
// words of the counter, and the fourth counts the blocks of the stream.
Random::Random(const RandomKey& key)
    : key_{static_cast<std::uint32_t>(key.seed), static_cast<std::uint32_t>(key.seed >> 32U)},
      counter_{0, key.purpose, key.step, key.example} {}

void Random::refill() {
  const r123::Philox4x32::ctr_type counter{{counter_[0], counter_[1], counter_[2], counter_[3]}};
  const r123::Philox4x32::key_type key{{key_[0], key_[1]}};
  const r123::Philox4x32::ctr_type block = r123::Philox4x32()(counter, key);
  for (std::size_t i = 0; i < block_.size(); ++i) block_[i] = block[i];
  ++counter_[0];
  used_ = 0;
}

std::uint32_t Random::bits() {
  if (used_ == block_.size()) refill();
  return block_[used_++];
}

double Random::uniform() {
  const std::uint64_t high = bits() >> 5U;  // 27 bits
  const std::uint64_t low = bits() >> 6U;   // 26 bits
  return static_cast<double>((high << 26U) | low) * 0x1p-53;
}

std::uint64_t Random::below(std::uint64_t bound) {
  if (bound == 0) throw std::invalid_argument("Random::below: bound is 0, expected at least 1");
  const int unused = std::countl_zero(bound - 1);
  while (unused < 32) {  // as many bits as bound - 1 has: fewer than half of the draws are rejected
    const std::uint64_t high = bits();
    const std::uint64_t draw = ((high << 32U) | bits()) >> unused;
    if (draw < bound) return draw;
  }
  // Lemire 2019: the high word of a 32x32-bit product, rejecting the few low words that would bias it.
  const std::uint64_t threshold = (std::uint64_t{1} << 32U) % bound;
  while (true) {
    const std::uint64_t product = bits() * bound;
    if (static_cast<std::uint32_t>(product) >= threshold) return product >> 32U;
  }
}

double Random::normal() {
  const double radius = std::sqrt(-2.0 * std::log1p(-uniform()));
  return radius * std::cos(2.0 * std::numbers::pi * uniform());
}

}  // namespace ordinal

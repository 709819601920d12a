// xPos (Sun et al. 2022): RoPE whose scores fade with distance, the fast pairs first. Query and key are
// scaled by opposite powers, so that only the difference of positions is left in their product; powers are
// counted from the first token, so that a common offset costs no range.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "framework/core/key_value_cache.h"
#include "framework/positional/rotary.h"

namespace ordinal {
namespace {

/// Pair i of q at position p times ζ_i^((p-c)/s), of k times ζ_i^(-(p-c)/s), ζ_i = (2i/d + γ)/(1 + γ) < 1, c
/// the position of the sequence's first token: the score of a key n to the left fades by ζ_i^(n/s).
template <typename T>
class Xpos final : public PositionalEncoding<T> {
 public:
  Xpos(const EncodingConfig& config, const Scope& /*scope*/)
      : rotary_(config),
        d_head_(config.d_head()),
        gamma_(config.xpos_gamma),
        scale_(config.xpos_scale > 0.0 ? config.xpos_scale : static_cast<double>(config.train_length) / 2.0) {
    for (Index i = 0; i < rotary_.pairs(); ++i) {
      const double share = static_cast<double>(i) / static_cast<double>(rotary_.pairs());
      log_zeta_.push_back(std::log((share + config.xpos_gamma) / (1.0 + config.xpos_gamma)));
    }
  }

  std::string constants() const override {
    return fmt::format("{}, γ {}, s {}", rotary_.constants(), gamma_, scale_);
  }

  std::vector<double> frequencies(const Stretch& stretch) const override {
    return rotary_.frequencies(stretch);
  }

  void encode_query_key(View<T> query, View<T> key, Index /*layer*/, Pass<T>& pass) const override {
    rotary_.rotate(query, key, pass);
    fade(query, key, pass);
  }
  // Both maps are linear, the fading diagonal: its transpose is itself.
  void encode_query_key_backward(View<T> d_query, View<T> d_key, Index /*layer*/,
                                 Pass<T>& pass) const override {
    fade(d_query, d_key, pass);
    rotary_.rotate_back(d_query, d_key, pass);
  }

 private:
  void fade(View<T> query, View<T> key, Pass<T>& pass) const {
    const auto frame = pass.scratch_frame();
    const View<T> factors = pass.allocate(2, rotary_.pairs());
    for (Index sequence = 0; sequence < pass.batch(); ++sequence) {
      const double first = first_position(sequence, pass);
      for (Index t = 0; t < pass.seq_len(); ++t) {
        const double distance = pass.run().positions.of(sequence)[static_cast<std::size_t>(t)] - first;
        for (Index i = 0; i < rotary_.pairs(); ++i) {
          const double factor = std::exp(distance / scale_ * log_zeta_[static_cast<std::size_t>(i)]);
          factors(0, i) = static_cast<T>(factor);
          factors(1, i) = static_cast<T>(1.0 / factor);
        }
        check(std::max(factors(0, 0), factors(1, 0)), distance);
        const Index row = sequence * pass.seq_len() + t;
        multiply_pairs(query.row(row), query.cols, factors.row(0));
        multiply_pairs(key.row(row), key.cols, factors.row(1));
      }
    }
  }

  // Keys that wait in a cache were scaled from the same token.
  static double first_position(Index sequence, const Pass<T>& pass) {
    const KeyValueCache<T>* cache = pass.run().cache;
    return (cache != nullptr ? cache->positions(sequence) : pass.run().positions.of(sequence)).front();
  }

  // The fastest fading pair overflows first.
  void check(T factor, double distance) const {
    if (factor < std::sqrt(std::numeric_limits<T>::max())) return;
    throw std::out_of_range(
        fmt::format("xpos: {} positions from the first token are too far for a scale of {} (raise "
                    "positional.xpos_scale)",
                    distance, scale_));
  }

  void multiply_pairs(T* row, Index width, const T* factors) const {
    for (T* head = row; head < row + width; head += d_head_) {
      for (Index i = 0; i < rotary_.pairs(); ++i) {
        head[rotary_.first(i)] *= factors[i];
        head[rotary_.second(i)] *= factors[i];
      }
    }
  }

  Rotary<T> rotary_;
  Index d_head_;
  double gamma_;
  double scale_;
  std::vector<double> log_zeta_;  // one for each pair
};

}  // namespace

EncodingEntry xpos_encoding() {
  return describe_encoding<Xpos>({.name = "xpos",
                                  .acts_on = "query, key",
                                  .formula = "rope, and pairs of q times ζ_i^(n/s), of k times ζ_i^(-n/s), n "
                                             "= pos - first pos, ζ_i = (2i/d_h + γ)/(1 + γ)",
                                  .parameters = "none",
                                  .beyond = "runs up to about 35 s tokens (float)",
                                  .source = "Sun et al. 2022, §3",
                                  .positions = PositionUse::rotary,
                                  .shift_invariant = true,
                                  .causal_only = true});
}

}  // namespace ordinal

// xPos (Sun et al. 2022): RoPE whose scores decay with distance, fastest in the high-frequency pairs. Exponents count from the
// first token, so a common offset uses no numeric range.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "framework/core/decode_cache.h"
#include "framework/core/errors.h"
#include "framework/positional/rotary.h"

namespace ordinal {
namespace {

struct XposOptions {
  RotaryOptions rotary;
  double xpos_gamma = 0.4;
  double xpos_scale = 0.0;

  void visit(OptionVisitor& v) {
    rotary.visit(v);
    v.number("xpos_gamma", xpos_gamma, at_least(1e-6), "γ of ζ_i = (2i/r + γ)/(1 + γ)");
    v.number("xpos_scale", xpos_scale, automatic_or(0),
             "distance s over which a score decays by ζ; 0: half the training length", Binds::training);
  }
  void resolve(const ModelShape& shape) {
    rotary.resolve(shape);
    if (xpos_scale == 0.0) xpos_scale = static_cast<double>(shape.train_length) / 2.0;
  }
};

template <typename T>
class Xpos final : public EncodingPart<T> {
 public:
  Xpos(const ModelShape& shape, const XposOptions& options, const Scope& scope)
      : rotary_(shape, options.rotary, scope),
        d_head_(shape.d_head()),
        scale_(options.xpos_scale),
        factors_(scope) {
    for (Index i = 0; i < rotary_.pairs(); ++i) {
      const double share = static_cast<double>(i) / static_cast<double>(rotary_.pairs());
      log_zeta_.push_back(std::log((share + options.xpos_gamma) / (1.0 + options.xpos_gamma)));
    }
  }

  std::vector<double> frequencies(const Stretch& stretch) const override {
    return rotary_.frequencies(stretch);
  }

  // Cached keys were scaled relative to the first token of the sequence, so later runs also count from it.
  void begin_run(Pass<T>& pass) const override {
    rotary_.begin_run(pass);
    const View<T> factors = pass.allocate(pass.batch() * pass.seq_len(), 2 * rotary_.pairs());
    const DecodeCache<T>* cache = pass.run().cache;
    T* row = factors.data;
    for (Index sequence = 0; sequence < pass.batch(); ++sequence) {
      const std::span<const double> own = pass.run().positions.of(sequence);
      const double first = cache != nullptr ? cache->positions(sequence).front() : own.front();
      for (const double position : own) {
        write_factors(position - first, row);
        row += factors.cols;
      }
    }
    factors_.keep(factors, pass);
  }

  void encode_query_key(View<T> query, View<T> key, const LayerAt& at, Pass<T>& pass) const override {
    rotary_.encode_query_key(query, key, at, pass);
    fade(query, key, pass);
  }
  // Both maps are linear. Fading is diagonal, so it is its own transpose.
  void encode_query_key_backward(View<T> d_query, View<T> d_key, const LayerAt& at,
                                 Pass<T>& pass) const override {
    fade(d_query, d_key, pass);
    rotary_.encode_query_key_backward(d_query, d_key, at, pass);
  }

 private:
  // ζ_i^(n/s) of all pairs for queries, then its inverse for keys.
  void write_factors(double distance, T* row) const {
    for (Index i = 0; i < rotary_.pairs(); ++i) {
      const double factor = std::exp(distance / scale_ * log_zeta_[static_cast<std::size_t>(i)]);
      row[i] = static_cast<T>(factor);
      row[rotary_.pairs() + i] = static_cast<T>(1.0 / factor);
    }
    // The pair that fades fastest overflows first.
    if (std::max(row[0], row[rotary_.pairs()]) < std::sqrt(std::numeric_limits<T>::max())) return;
    throw PositionError(
        fmt::format("xpos: {} positions from the first token are too far for a scale of {} (raise "
                    "xpos_scale)",
                    distance, scale_));
  }

  void fade(View<T> query, View<T> key, Pass<T>& pass) const {
    const View<const T> factors = factors_.of_run(pass);
    for (Index r = 0; r < factors.rows; ++r) {
      multiply_pairs(query.row(r), query.cols, factors.row(r));
      multiply_pairs(key.row(r), key.cols, factors.row(r) + rotary_.pairs());
    }
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
  double scale_;
  std::vector<double> log_zeta_;  // one for each pair
  RunRows<T> factors_;            // (batch·seq_len, 2·pairs)
};

}  // namespace

EncodingEntry xpos_encoding() {
  return describe_encoding<Xpos, XposOptions>(
      {.name = "xpos",
       .formula = "rope, and pairs of q times ζ_i^(n/s), of k times ζ_i^(-n/s), n "
                  "= pos - first pos, ζ_i = (2i/r + γ)/(1 + γ)",
       .beyond = "runs up to about 35 s tokens (float)",
       .source = "Sun et al. 2022, §3",
       .positions = PositionUse::rotary,
       .shift_invariant = true,
       .causal_only = true,
       .definition =
           R"(As rope: r = rotary_fraction · d_h dimensions, pairs i = 0 … r/2 - 1 and angles p θ_i as --list rope says.
After the rotation both dimensions of pair i are multiplied, at position p,
  of queries  by ζ_i^((p - c)/s)       of keys  by ζ_i^(-(p - c)/s),    ζ_i = (2i/r + γ)/(1 + γ),
with c the position of the first token of the sequence, γ = xpos_gamma and s = xpos_scale (0: L/2, L the
training length; Sun et al. use 512). So the product of pair i fades by ζ_i^(n/s) over a distance of n.
Dimensions that are not rotated do not fade. Positions ntk, dynamic_ntk, yarn and longrope change θ_i as for
rope, and yarn's factor m multiplies the rotated pairs of q and k; ζ_i stays.
A position fails where a factor exceeds the root of the largest number: n/s about 35 in float, 283 in double.
Nothing is learned.)"});
}

}  // namespace ordinal

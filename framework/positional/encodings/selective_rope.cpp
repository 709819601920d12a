// Selective RoPE (Movahedi et al. 2025): each token decides how far it rotates the queries and keys of all later tokens.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "framework/core/decode_cache.h"
#include "framework/math/blas.h"
#include "framework/math/vector_math.h"
#include "framework/positional/positional_encoding.h"
#include "framework/positional/rotary.h"

namespace ordinal {
namespace {

struct SelectiveRopeOptions {
  double selective_base = 10000.0;
  double phase = 1.0;

  void visit(OptionVisitor& v) {
    v.number("selective_base", selective_base, above(1), "θ_p = selective_base^(-2p/d_head)");
    v.number("phase", phase, between(0, 100),
             "initial b, the mean step: 1 rotates about as rope does, 0 by content alone", Binds::training);
  }
  void resolve(const ModelShape& shape) { RotaryOptions::require_pairs(shape.d_head(), shape); }
};

template <typename T>
class SelectiveRope final : public EncodingPart<T> {
 public:
  SelectiveRope(const ModelShape& shape, const SelectiveRopeOptions& options, const Scope& scope)
      : key_heads_(shape.n_kv_heads), d_head_(shape.d_head()) {
    const std::vector<double> of_head = sinusoidal_frequencies(d_head_, options.selective_base);
    for (Index head = 0; head < key_heads_; ++head)
      frequencies_.insert(frequencies_.end(), of_head.begin(), of_head.end());
    for (Index layer = 0; layer < shape.layers; ++layer) {
      const Scope own = scope.nested(std::to_string(layer));
      layers_.push_back(
          {own.add("weight", {width(), shape.d_model}, own.initial_weights().inner(shape.d_model)),
           own.add("bias", {width()}, constant(options.phase)), RunRows<T>(scope),
           scope.add_state({.rows = 2, .cols = width()})});
    }
  }

  void encode_layer(View<const T> x, Index layer, Pass<T>& pass) const override {
    const OfLayer& of = at(layer);
    const View<T> steps = pass.allocate(x.rows, width());
    multiply_with_bias<T>(x, transposed(pass.value(of.weight)), pass.value(of.bias).data, steps);
    const View<T> turns = pass.allocate(x.rows, 2 * width());
    for (Index sequence = 0; sequence < pass.batch(); ++sequence) add_up(of, sequence, steps, turns, pass);
    of.turns.keep(turns, pass, width());
    pass.save("SelectiveRope", x);
  }

  // Φ_t sums the steps of all tokens up to t, so dstep_s = θ_p Σ_{t ≥ s} dΦ_t.
  void encode_layer_backward(View<T> dx, Index layer, Pass<T>& pass) const override {
    const OfLayer& of = at(layer);
    const View<const T> x = pass.restore("SelectiveRope");
    const View<T> d = of.turns.gradient(pass);
    std::vector<double> later(frequencies_.size());
    for (Index r = d.rows - 1; r >= 0; --r) {
      if ((r + 1) % pass.seq_len() == 0) std::ranges::fill(later, 0.0);
      for (std::size_t p = 0; p < later.size(); ++p) {
        later[p] += frequencies_[p] * static_cast<double>(d.row(r)[p]);
        d.row(r)[p] = static_cast<T>(later[p]);
      }
    }
    vmath::add_rows<T>(d, pass.gradient(of.bias).data);
    multiply_add<T>(transposed(d), x, pass.gradient(of.weight));
    multiply_add<T>(d, pass.value(of.weight), dx);
  }

  void encode_query_key(View<T> query, View<T> key, const LayerAt& at_layer, Pass<T>& pass) const override {
    for (const View<T> x : {query, key}) {
      turn(x, at_layer.number, T(1), pass);
      if (!pass.run().record) continue;
      const View<T> turned = pass.allocate(x.rows, x.cols);
      copy_rows<T>(x, turned);
      pass.save("SelectiveRope", turned);
    }
  }

  // y = R(Φ) x:   dx = R(-Φ) dy,   dΦ += dy·∂y/∂Φ, with ∂y/∂Φ = (-y_c, y_a).
  void encode_query_key_backward(View<T> d_query, View<T> d_key, const LayerAt& at_layer,
                                 Pass<T>& pass) const override {
    const View<T> d_turns = at(at_layer.number).turns.gradient(pass);
    for (const View<T> d : {d_key, d_query}) {
      const View<const T> turned = pass.restore("SelectiveRope");
      const Index half = d_head_ / 2;
      for_each_head(d, [&](Index t, Index column, Index head) {
        const T* y = turned.row(t) + column;
        const T* dy = d.row(t) + column;
        T* d_turn = d_turns.row(t) + head * half;
#pragma omp simd
        for (Index p = 0; p < half; ++p) d_turn[p] += dy[p + half] * y[p] - dy[p] * y[p + half];
      });
      turn(d, at_layer.number, T(-1), pass);
    }
  }

 private:
  struct OfLayer {
    Slot weight;       // w of each pair (n_kv_heads d_head/2, d_model)
    Slot bias;         // b (n_kv_heads d_head/2)
    RunRows<T> turns;  // cos Φ of all pairs, then sin Φ (tokens, 2 n_kv_heads d_head/2)
    StateSlot angle;   // Φ of the last token, as the sum of two numbers
  };

  Index width() const { return key_heads_ * (d_head_ / 2); }
  const OfLayer& at(Index layer) const { return layers_[static_cast<std::size_t>(layer)]; }

  // Computes Φ for the tokens of a sequence, continuing from the cache.
  void add_up(const OfLayer& of, Index sequence, View<const T> steps, View<T> turns, Pass<T>& pass) const {
    const View<T> state =
        pass.run().cache != nullptr ? pass.run().cache->state(of.angle, sequence) : View<T>{};
    std::vector<double> angles(frequencies_.size());
    const std::size_t kept = state.rows > 0 ? angles.size() : 0;
    for (std::size_t p = 0; p < kept; ++p)
      angles[p] = static_cast<double>(state.row(0)[p]) + static_cast<double>(state.row(1)[p]);
    const Index first = sequence * pass.seq_len();
    for (Index r = first; r < first + pass.seq_len(); ++r) {
      const T* step = steps.row(r);
      for (std::size_t p = 0; p < angles.size(); ++p)
        angles[p] = without_whole_turns(angles[p] + frequencies_[p] * static_cast<double>(step[p]));
      for (std::size_t p = 0; p < angles.size(); ++p) {
        turns.row(r)[p] = static_cast<T>(std::cos(angles[p]));
        turns.row(r)[angles.size() + p] = static_cast<T>(std::sin(angles[p]));
      }
    }
    for (std::size_t p = 0; p < kept; ++p) {
      state.row(0)[p] = static_cast<T>(angles[p]);
      state.row(1)[p] = static_cast<T>(angles[p] - static_cast<double>(state.row(0)[p]));
    }
  }

  // std::remainder(angle, 2π) below 2^52 turns, for vectors: the difference is a number, so fma does not round it.
  static double without_whole_turns(double angle) {
    constexpr double turn = 2.0 * std::numbers::pi;
    return std::fma(-std::nearbyint(angle / turn), turn, angle);
  }

  // Calls visit(token, first column of a head of x, its key head). Query heads share key heads in order.
  template <typename Visit>
  void for_each_head(View<const T> x, const Visit& visit) const {
    const Index group = x.cols / (key_heads_ * d_head_);
    for (Index t = 0; t < x.rows; ++t) {
      for (Index head = 0; head * d_head_ < x.cols; ++head) visit(t, head * d_head_, head / group);
    }
  }

  void turn(View<T> x, Index layer, T direction, const Pass<T>& pass) const {
    const View<const T> turns = at(layer).turns.of_run(pass);
    const Index half = d_head_ / 2;
    for_each_head(x, [&](Index t, Index column, Index head) {
      const T* cosine = turns.row(t) + head * half;
      T* a = x.row(t) + column;
      turn_pairs(a, half, cosine + width(), cosine, direction);
    });
  }

  Index key_heads_;
  Index d_head_;
  std::vector<double> frequencies_;  // θ of all pairs
  std::vector<OfLayer> layers_;
};

}  // namespace

EncodingEntry selective_rope_encoding() {
  return describe_encoding<SelectiveRope, SelectiveRopeOptions>(
      {.name = "selective_rope",
       .formula =
           "R(Φ_i) q·R(Φ_j) k/√d_h, Φ_t = θ_p Σ_{s≤t} (w_p·x_s + b_p), x the input of the attention layer",
       .source = "Movahedi et al. 2025, §4",
       .positions = PositionUse::nothing,
       .shift_invariant = true,
       .causal_only = true,
       .definition =
           R"(Pair p = 0 … d_h/2 - 1 of a head, dimensions p and p + d_h/2, of the query and key of token t is rotated by
  Φ_t = θ_p Σ_{s = 0 … t} (w_p·x_s + b_p),   θ_p = selective_base^(-2p/d_h),
  (a, c) -> (a cos Φ - c sin Φ, a sin Φ + c cos Φ),
before the product q_i·k_j/√d_h. It then depends on Φ_i - Φ_j, the steps of the tokens after the key up to the
query. x (tokens, d_model) is what the attention layer projects to q, k and v. Each key head has its own w and b,
which its query heads share. With b = phase = 1 the mean step is that of rope; with 0 it is 0. Initial steps vary
by about √d_model times the size of w. Positions are not read. This is the encoding of the paper without the short
convolution and the gate, with w of full rank. A drawing of the encoding alone has no x and rotates by the bias.
Parameters:
  positional.selective_rope.<layer>.weight  w  (n_kv_heads d_h/2, d_model)  model.init
  positional.selective_rope.<layer>.bias    b  (n_kv_heads d_h/2)           phase)"});
}

}  // namespace ordinal

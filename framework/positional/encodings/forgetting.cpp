// Forgetting attention (FoX, Lin et al. 2025): each token decides, for each head, how much of the past is kept. CABLE (Veisi et al.
// 2025) is the same function with the opposite sign of its weights, which its paper calls a bias that tokens choose.
#include <algorithm>
#include <cmath>

#include "framework/core/decode_cache.h"
#include "framework/math/blas.h"
#include "framework/positional/positional_encoding.h"
#include "framework/positional/run_rows.h"

namespace ordinal {
namespace {

struct ForgettingOptions {
  double gate_bias = 0.0;
  void visit(OptionVisitor& v) {
    v.number("gate_bias", gate_bias, between(-100, 100), "initial b; gates start at about σ(b)",
             Binds::training);
  }
};

/// ln σ(a) and σ(-a), the derivative of ln σ at a, without overflow.
double log_sigmoid(double a) { return std::min(a, 0.0) - std::log1p(std::exp(-std::abs(a))); }
double sigmoid_of_minus(double a) { return 1.0 / (1.0 + std::exp(a)); }

struct CableOptions {
  void visit(OptionVisitor& /*v*/) {}
  double gate_bias = 0.0;
};

/// score_ij += c_i - c_j with c_t = Σ_{l ≤ t} ln σ(sign · (w·x_l + b)). c is kept as the sum of two numbers, because a single float
/// would round differences of sums over thousands of tokens.
template <typename T, typename Options, int sign>
class Gated final : public EncodingPart<T> {
 public:
  Gated(const ModelShape& shape, const Options& options, const Scope& scope) : heads_(shape.heads) {
    for (Index layer = 0; layer < shape.layers; ++layer) {
      const Scope own = scope.nested(std::to_string(layer));
      layers_.push_back(
          {own.add("weight", {heads_, shape.d_model}, own.initial_weights().inner(shape.d_model)),
           own.add("bias", {heads_}, constant(options.gate_bias)), TokenRows<T>(2 * heads_, scope)});
    }
  }

  void encode_layer(View<const T> x, Index layer, Pass<T>& pass) const override {
    const Gates& gates = at(layer);
    const View<T> logits = pass.allocate(x.rows, heads_);
    multiply<T>(x, transposed(pass.value(gates.weight)), logits);
    for (Index r = 0; r < x.rows; ++r) {
      for (Index h = 0; h < heads_; ++h) logits(r, h) += pass.value(gates.bias)(0, h);
    }
    const View<T> sums = pass.allocate(x.rows, 2 * heads_);
    for (Index sequence = 0; sequence < pass.batch(); ++sequence) add_up(gates, sequence, logits, sums, pass);
    gates.sums.keep(sums, pass, heads_);
    pass.save("Gated", x);
    pass.save("Gated", logits);
  }

  // c_t sums the log gates of all tokens up to t, so with a_l = w·x_l + b
  //   da_l = sign σ(-sign a_l) Σ_{t ≥ l} dc_t,   dw += Σ_l da_l x_l,   db += Σ_l da_l,   dx_l += da_l w.
  void encode_layer_backward(View<T> dx, Index layer, Pass<T>& pass) const override {
    const Gates& gates = at(layer);
    const View<const T> logits = pass.restore("Gated");
    const View<const T> x = pass.restore("Gated");
    const View<T> d_logits = gates.sums.gradient(pass);
    T* d_bias = pass.gradient(gates.bias).data;
    for (Index h = 0; h < heads_; ++h) {
      double later = 0.0;
      for (Index r = x.rows - 1; r >= 0; --r) {
        if ((r + 1) % pass.seq_len() == 0) later = 0.0;
        later += static_cast<double>(d_logits(r, h));
        d_logits(r, h) =
            static_cast<T>(sign * later * sigmoid_of_minus(sign * static_cast<double>(logits(r, h))));
        d_bias[h] += d_logits(r, h);
      }
    }
    multiply_add<T>(transposed(d_logits), x, pass.gradient(gates.weight));
    multiply_add<T>(d_logits, pass.value(gates.weight), dx);
  }

  void encode_scores(const ScoreBlock<T>& block, View<T> scores, Pass<T>& pass) const override {
    const auto frame = pass.scratch_frame();
    const Gates& gates = at(block.layer);
    const View<const T> sums = gates.sums.of_keys(block, pass);
    const View<T> keys = pass.allocate(2, block.key.rows);
    for (Index j = 0; j < keys.cols; ++j) {
      keys(0, j) = sums(j, block.head);
      keys(1, j) = sums(j, heads_ + block.head);
    }
    for (Index r = 0; r < scores.rows; ++r) {
      const T high = keys(0, block.first_query + r);
      const T low = keys(1, block.first_query + r);
      T* score = scores.row(r);
      for (Index j = 0; j < block.visible(r); ++j)
        score[j] += (high - keys.row(0)[j]) + (low - keys.row(1)[j]);
    }
  }

  // dc_i += Σ_j dS_ij,   dc_j -= Σ_i dS_ij.
  void encode_scores_backward(const ScoreBlock<T>& block, const ScoreGradient<T>& gradient,
                              Pass<T>& pass) const override {
    const View<T> d_sums = at(block.layer).sums.gradient_of_keys(block, pass);
    for (Index r = 0; r < gradient.scores.rows; ++r) {
      for (Index j = 0; j < block.visible(r); ++j) {
        d_sums(block.first_query + r, block.head) += gradient.scores(r, j);
        d_sums(j, block.head) -= gradient.scores(r, j);
      }
    }
  }

 private:
  struct Gates {
    Slot weight;        // w (heads, d_model)
    Slot bias;          // b (heads)
    TokenRows<T> sums;  // c (2·heads): the larger part for all heads, then the smaller
  };

  const Gates& at(Index layer) const { return layers_[static_cast<std::size_t>(layer)]; }

  // Computes c for the tokens of a sequence, continuing from the cache.
  void add_up(const Gates& gates, Index sequence, View<const T> logits, View<T> sums, Pass<T>& pass) const {
    const DecodeCache<T>* cache = pass.run().cache;
    const Index first = sequence * pass.seq_len();
    const bool continues = cache != nullptr && cache->length() > 0;
    for (Index h = 0; h < heads_; ++h) {
      double c = 0.0;
      if (continues) {
        const View<const T> older = gates.sums.of_sequence(sequence, pass);
        const Index last = cache->length() - 1;
        c = static_cast<double>(older(last, h)) + static_cast<double>(older(last, heads_ + h));
      }
      for (Index r = first; r < first + pass.seq_len(); ++r) {
        c += log_sigmoid(sign * static_cast<double>(logits(r, h)));
        sums(r, h) = static_cast<T>(c);
        sums(r, heads_ + h) = static_cast<T>(c - static_cast<double>(sums(r, h)));
      }
    }
  }

  Index heads_;
  std::vector<Gates> layers_;
};

template <typename T>
using Forgetting = Gated<T, ForgettingOptions, 1>;
template <typename T>
using Cable = Gated<T, CableOptions, -1>;

}  // namespace

EncodingEntry forgetting_encoding() {
  return describe_encoding<Forgetting, ForgettingOptions>(
      {.name = "forgetting",
       .formula = "q·k/√d_h + Σ_{l=j+1…i} ln σ(w_h·x_l + b_h), x the input of the attention layer",
       .source = "Lin et al. 2025, §3",
       .positions = PositionUse::nothing,
       .shift_invariant = true,
       .causal_only = true,
       .definition =
           R"(score_ij = q_i·k_j/√d_h + Σ_{l = j+1 … i} ln f_l,  f_l = σ(w_h·x_l + b_h),  σ(a) = 1/(1 + e^-a),
for heads h = 0 … H - 1, j ≤ i: the weight of each key is multiplied by all gates after it, the query's own
by none. x (tokens, d_model) is what the attention layer projects to q, k and v: the output of its norm
(pre-norm). Query heads that share a key head each have their own gates. Positions are not read.
This is the gate of the paper without its "Pro" block (output gate, norms and shifts of keys and values).
A drawing of the encoding alone has no x and shows the gates σ(b_h) of x = 0.
Parameters:
  positional.forgetting.<layer>.weight  w  (H, d_model)  model.init
  positional.forgetting.<layer>.bias    b  (H)           gate_bias)"});
}

EncodingEntry cable_encoding() {
  return describe_encoding<Cable, CableOptions>(
      {.name = "cable",
       .formula = "q·k/√d_h - Σ_{l=j+1…i} ln(1 + exp(w_h·x_l + b_h)), x the input of the attention layer",
       .source = "Veisi et al. 2025",
       .positions = PositionUse::nothing,
       .shift_invariant = true,
       .causal_only = true,
       .definition =
           R"(score_ij = q_i·k_j/√d_h - Σ_{l = j+1 … i} softplus(w_h·x_l + b_h),  softplus(a) = ln(1 + e^a) = -ln σ(-a),
for heads h = 0 … H - 1, j ≤ i. x (tokens, d_model) is what the attention layer projects to q, k and v. This is
forgetting with w and b of the opposite sign, and both start the same: what is measured of one is true of the
other, but for the chance of a seed. The authors' code does not divide q·k by √d_h; here it is divided, as by all
encodings. A drawing of the encoding alone has no x and shows that of x = 0.
Parameters:
  positional.cable.<layer>.weight  w  (H, d_model)  model.init
  positional.cable.<layer>.bias    b  (H)           0)"});
}

}  // namespace ordinal

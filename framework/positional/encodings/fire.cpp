// FIRE (Li et al. 2023): a small network maps the distance to a bias. Its input is the distance on a
// logarithmic scale, as a fraction of the longest that the query sees, so it stays in [0, 1] at every length.
#include <algorithm>
#include <cmath>

#include "framework/positional/score_distances.h"

namespace ordinal {
namespace {

struct FireOptions {
  Index hidden = 32;
  void visit(OptionVisitor& v) {
    v.integer("hidden", hidden, between(1, 65536), "hidden units of the network");
  }
};

template <typename T>
class Fire final : public EncodingPart<T> {
 public:
  Fire(const ModelShape& shape, const FireOptions& options, const Scope& scope)
      : train_length_(static_cast<T>(shape.train_length)),
        heads_(shape.heads),
        c_(scope.add("scale", {shape.layers}, constant(0.1))),
        threshold_(scope.add("threshold", {shape.layers}, ones())),
        w1_(scope.add("hidden.weight", {shape.layers, options.hidden}, uniform(1.0))),
        b1_(scope.add("hidden.bias", {shape.layers, options.hidden}, uniform(1.0))),
        w2_(scope.add("output.weight", {shape.layers * shape.heads, options.hidden},
                      uniform(1.0 / std::sqrt(static_cast<double>(options.hidden))))) {}

  void encode_scores(const ScoreBlock<T>& block, View<T> scores, Pass<T>& pass) const override {
    for_each_piece(block, pass, [&](const Piece& piece) {
      const View<const T> x = piece.x;
      const View<T> bias = pass.zeros(1, x.cols);
      for (Index u = 0; u < w1_.cols; ++u) {
        const T weight = pass.value(w1_)(block.layer, u);
        const T shift = pass.value(b1_)(block.layer, u);
        const T out = pass.value(w2_)(row_of(block), u);
        for (Index n = 0; n < x.cols; ++n) bias(0, n) += out * std::max(weight * x(0, n) + shift, T(0));
      }
      piece.distances.add(bias, scores.row_range(piece.first, piece.rows));
    });
  }

  void encode_scores_backward(const ScoreBlock<T>& block, const ScoreGradient<T>& gradient,
                              Pass<T>& pass) const override {
    for_each_piece(block, pass, [&](const Piece& piece) {
      const View<T> d_bias = pass.allocate(1, piece.x.cols);
      piece.distances.sum(gradient.scores.row_range(piece.first, piece.rows), d_bias);
      normalise_backward(block, piece, network_backward(block, piece.x, d_bias, pass), pass);
    });
  }

 private:
  // Consecutive rows of a block with the same denominator: all rows within L, or a single row beyond.
  struct Piece {
    Index first;
    Index rows;
    const ScoreDistances<T>& distances;
    View<const T> x;  // of the distances
    T furthest;       // max(L, i)
    T unit;           // 1/(ψ(max(L, i)) + 1e-6)
    bool within;      // furthest is L
  };

  Index row_of(const ScoreBlock<T>& block) const { return block.layer * heads_ + block.head; }
  static T psi(T c, T n) { return static_cast<T>(std::log(static_cast<double>(std::abs(c) * n + T(1)))); }

  template <typename Visit>
  void for_each_piece(const ScoreBlock<T>& block, Pass<T>& pass, const Visit& visit) const {
    const T c = pass.value(c_)(0, block.layer);
    const T limit = train_length_ * std::abs(pass.value(threshold_)(0, block.layer));
    const auto last_seen = [&](Index row) {
      return static_cast<T>(block.key_positions[static_cast<std::size_t>(block.visible(row) - 1)]);
    };
    for (Index first = 0, rows = 1; first < block.query.rows; first += rows) {
      const auto frame = pass.scratch_frame();
      const bool within = last_seen(first) <= limit;
      rows = 1;
      while (within && first + rows < block.query.rows && last_seen(first + rows) <= limit) ++rows;
      ScoreBlock<T> part = block;
      part.first_query += first;
      part.query = block.query.row_range(first, rows);
      const ScoreDistances<T> distances(part, pass);
      const T furthest = within ? limit : last_seen(first);
      const T unit = T(1) / (psi(c, furthest) + T(1e-6));
      const View<T> x = pass.allocate(1, distances.size());
      for (Index n = 0; n < x.cols; ++n) x(0, n) = psi(c, std::abs(distances.distances()(0, n))) * unit;
      visit({first, rows, distances, x, furthest, unit, within});
    }
  }

  // With a = w1 x + b1 and D the gradient of the bias, sums over those n where a > 0:
  //   dw2 = Σ D a,  dw1 = w2 Σ D x,  db1 = w2 Σ D,  dx = w1 w2 D.
  View<T> network_backward(const ScoreBlock<T>& block, View<const T> x, View<const T> d_bias,
                           Pass<T>& pass) const {
    const View<T> d_x = pass.zeros(1, x.cols);
    for (Index u = 0; u < w1_.cols; ++u) {
      const T weight = pass.value(w1_)(block.layer, u);
      const T shift = pass.value(b1_)(block.layer, u);
      const T out = pass.value(w2_)(row_of(block), u);
      T by_x = T(0);
      T by_one = T(0);
      for (Index n = 0; n < x.cols; ++n) {
        const T d = weight * x(0, n) + shift > T(0) ? d_bias(0, n) : T(0);
        by_x += d * x(0, n);
        by_one += d;
        d_x(0, n) += weight * out * d;
      }
      pass.gradient(w2_)(row_of(block), u) += weight * by_x + shift * by_one;
      pass.gradient(w1_)(block.layer, u) += out * by_x;
      pass.gradient(b1_)(block.layer, u) += out * by_one;
    }
    return d_x;
  }

  // x = ψ(n) / (ψ(m) + 1e-6) with dψ(n)/dc = n / (|c| n + 1) · sign(c), and m = L or a position.
  void normalise_backward(const ScoreBlock<T>& block, const Piece& piece, View<const T> d_x,
                          Pass<T>& pass) const {
    const T c = pass.value(c_)(0, block.layer);
    T d_c = T(0);
    T d_unit = T(0);  // in ψ(m)
    for (Index k = 0; k < d_x.cols; ++k) {
      const T n = std::abs(piece.distances.distances()(0, k));
      d_c += d_x(0, k) * piece.unit * n / (std::abs(c) * n + T(1));
      d_unit -= d_x(0, k) * piece.x(0, k) * piece.unit;
    }
    const T denominator = std::abs(c) * piece.furthest + T(1);
    pass.gradient(c_)(0, block.layer) +=
        std::copysign(T(1), c) * (d_c + d_unit * piece.furthest / denominator);
    if (!piece.within) return;
    const T threshold = pass.value(threshold_)(0, block.layer);
    pass.gradient(threshold_)(0, block.layer) +=
        std::copysign(train_length_, threshold) * d_unit * std::abs(c) / denominator;
  }

  T train_length_;
  Index heads_;
  Slot c_;          // (layers)
  Slot threshold_;  // (layers)
  Slot w1_;         // (layers, hidden)
  Slot b1_;         // (layers, hidden)
  Slot w2_;         // (layers · heads, hidden)
};

}  // namespace

EncodingEntry fire_encoding() {
  return describe_encoding<Fire, FireOptions>(
      {.name = "fire",
       .formula = "q·k/√d_h + f_h(ln(c |i - j| + 1) / ln(c max(L, i) + 1)), f a network 1 -> hidden -> H",
       .beyond = "runs; distances are fractions of the longest",
       .source = "Li et al. 2023, §3",
       .maps_distances = true,
       .definition =
           R"(score_ij = q_i·k_j/√d_h + Σ_u w2[l·H + h, u] max(w1[l, u] x_ij + b1[l, u], 0)   for head h of layer l,
  x_ij = ψ(|p_i - p_j|)/(ψ(max(|τ[l]| L, e_i)) + 1e-6),   ψ(n) = ln(|c[l]| n + 1),
with L the training length and e_i the position of the last key that query i sees: p_i itself in a causal
model, that of the last token of the sequence in an encoder (the same for all queries). Positions are any real
numbers. There is no output bias: it would add the same to all scores of a row. The bias is not divided by √d_h.
Parameters (l and h count from 0):
  positional.fire.scale          c   (layers)              0.1
  positional.fire.threshold      τ   (layers)              1
  positional.fire.hidden.weight  w1  (layers, hidden)      uniform in (-1, 1)
  positional.fire.hidden.bias    b1  (layers, hidden)      uniform in (-1, 1)
  positional.fire.output.weight  w2  (layers · H, hidden)  uniform in (-1/√hidden, 1/√hidden))"});
}

}  // namespace ordinal

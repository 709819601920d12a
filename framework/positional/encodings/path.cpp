// PaTH (Yang et al. 2025): a score contains a product of matrices, which the tokens after the key up to the query decide. They do
// not commute, so their products can track states that rotations by positions cannot.
#include <algorithm>
#include <cmath>

#include "framework/math/blas.h"
#include "framework/math/vector_math.h"
#include "framework/positional/positional_encoding.h"
#include "framework/positional/run_rows.h"

namespace ordinal {
namespace {

template <typename T>
class Path final : public EncodingPart<T> {
 public:
  Path(const ModelShape& shape, const NoOptions& /*none*/, const Scope& scope)
      : key_heads_(shape.n_kv_heads), group_(shape.heads / shape.n_kv_heads), d_head_(shape.d_head()) {
    for (Index layer = 0; layer < shape.layers; ++layer) {
      const Scope own = scope.nested(std::to_string(layer));
      layers_.push_back(
          {own.add("weight", {width(), shape.d_model}, own.initial_weights().inner(shape.d_model)),
           own.add("bias", {key_heads_}, zeros()), TokenRows<T>(width(), scope)});
    }
  }

  void encode_layer(View<const T> x, Index layer, Pass<T>& pass) const override {
    const OfLayer& of = at(layer);
    const View<T> raw = pass.allocate(x.rows, width());
    multiply<T>(x, transposed(pass.value(of.weight)), raw);
    const View<T> steps = pass.allocate(x.rows, width());
    for (Index t = 0; t < x.rows; ++t) {
      for (Index first = 0; first < beta(0); first += d_head_) {
        const T* r = raw.row(t) + first;
        const T inverse = inverse_length(r);
        for (Index c = 0; c < d_head_; ++c) steps(t, first + c) = inverse * r[c];
      }
      T* betas = steps.row(t) + beta(0);
      vmath::add(raw.row(t) + beta(0), pass.value(of.bias).data, betas, key_heads_);
      vmath::sigmoid(betas, betas, key_heads_);
      vmath::scale(T(2), betas, key_heads_);
    }
    of.steps.keep(steps, pass, width());
    pass.save("Path", x);
    pass.save("Path", raw);
  }

  // With r = W x and w = r/|r|: dr = (dw - w (w·dw))/|r|; and dβ/d(v·x + b) = β (1 - β/2).
  void encode_layer_backward(View<T> dx, Index layer, Pass<T>& pass) const override {
    const OfLayer& of = at(layer);
    const View<const T> raw = pass.restore("Path");
    const View<const T> x = pass.restore("Path");
    const View<const T> steps = of.steps.of_run(pass);
    const View<T> d = of.steps.gradient(pass);
    for (Index t = 0; t < x.rows; ++t) {
      for (Index first = 0; first < beta(0); first += d_head_) {
        const T* w = steps.row(t) + first;
        T* d_w = d.row(t) + first;
        vmath::add_scaled(-vmath::dot(w, d_w, d_head_), w, d_w, d_head_);
        vmath::scale(inverse_length(raw.row(t) + first), d_w, d_head_);
      }
      for (Index column = beta(0); column < width(); ++column)
        d(t, column) *= steps(t, column) * (T(1) - steps(t, column) / T(2));
      vmath::add(pass.gradient(of.bias).data, d.row(t) + beta(0), pass.gradient(of.bias).data, key_heads_);
    }
    multiply_add<T>(transposed(d), x, pass.gradient(of.weight));
    multiply_add<T>(d, pass.value(of.weight), dx);
  }

  // For row i, u_i = q_i and u_{j-1} = H_j u_j give score_ij = u_j·k_j/√d_h, where attention itself adds q_i·k_j/√d_h. Keys come in chunks,
  // the last first, each with a few products of matrices. With W, K and B = diag(β) of a chunk, U the rows u and E = U - Q where it starts:
  //   p_it = w_t·u_t for t ≤ i:  P = X M,  X = U Wᵀ for t ≤ i,  M = (I + L)⁻¹,  L_st = β_s w_s·w_t for s > t
  //   scores += (E Kᵀ - P B R)/√d_h,  R_tj = w_t·k_j for t > j;    then E -= P B W.
  void encode_scores(const ScoreBlock<T>& block, View<T> scores, Pass<T>& pass) const override {
    const auto frame = pass.scratch_frame();
    const View<T> excess = pass.zeros(block.query.rows, d_head_);
    for (Index number = chunks(block) - 1; number >= 0; --number) {
      const auto of_chunk = pass.scratch_frame();
      const Chunk c = chunk(block, number, excess, pass);
      const View<T> s = c.seeing(scores).col_range(c.first, c.key.rows);
      const Triangle half = c.half(Triangle::Of::result);
      multiply<T>(c.excess, transposed(c.key), s, block.scale, T(1), half);
      multiply<T>(c.weighted, later_along_keys(c, pass), s, -block.scale, T(1), half);
      multiply<T>(c.weighted, c.w, c.seeing(excess), T(-1), T(1));
    }
  }

  // From the first chunk to the last, D being the gradient of the scores over √d_h and G that of U - P B W:
  //   d(PB) = -(D Rᵀ + G Wᵀ)      dX = d(PB) B Mᵀ for t ≤ i      dL = -Pᵀ dX for s > t      dR = -(PB)ᵀ D for t > j
  //   dβ_t += Σ_i d(PB)_it p_it + Σ_s dL_ts w_t·w_s              dW += dXᵀ U - (PB)ᵀ G + dR K + (B dL + (B dL)ᵀ) W
  //   dK += Dᵀ E + dRᵀ W                                         G += D K + dX W
  // Attention itself adds D K to dQ; `excess` is the rest of G.
  void encode_scores_backward(const ScoreBlock<T>& block, const ScoreGradient<T>& gradient,
                              Pass<T>& pass) const override {
    const auto frame = pass.scratch_frame();
    const View<T> direct = pass.zeros(block.query.rows, d_head_);
    const View<T> excess = pass.zeros(block.query.rows, d_head_);
    chunks_backward(block, chunks(block) - 1, pass.zeros(block.query.rows, d_head_), gradient,
                    {direct, excess}, pass);
    for (Index r = 0; r < excess.rows; ++r)
      vmath::add(gradient.query.row(r), excess.row(r), gradient.query.row(r), d_head_);
  }

 private:
  static constexpr Index chunk_keys = 32;

  struct OfLayer {
    Slot weight;         // W of all key heads, then v of each: (n_kv_heads (d_head + 1), d_model)
    Slot bias;           // b (n_kv_heads)
    TokenRows<T> steps;  // w of all key heads, then β of each: n_kv_heads (d_head + 1)
  };
  // Some keys of a block, and the rows that see any of them.
  struct Chunk {
    Index first = 0;  // key
    Index row = 0;
    Index diagonal = 0;  // row r of these sees the keys up to r + diagonal
    View<const T> key;
    View<const T> w;
    View<T> beta = {};      // (1, keys)
    View<T> along = {};     // W Wᵀ
    View<T> inverse = {};   // M
    View<T> excess = {};    // E
    View<T> u = {};         // U
    View<T> p = {};         // P
    View<T> weighted = {};  // P B

    Triangle half(Triangle::Of of) const { return {of, diagonal}; }
    template <typename Element>
    View<Element> seeing(View<Element> rows) const {
      return rows.row_range(row, rows.rows - row);
    }
  };
  // The gradient G of the rows of a block: what attention itself computes, and the rest.
  struct RowGradient {
    View<T> direct;
    View<T> excess;
  };

  Index width() const { return key_heads_ * (d_head_ + 1); }
  // The column of β of a key head.
  Index beta(Index head) const { return key_heads_ * d_head_ + head; }
  const OfLayer& at(Index layer) const { return layers_[static_cast<std::size_t>(layer)]; }
  // 1/|r|, finite for r = 0.
  T inverse_length(const T* r) const { return T(1) / std::sqrt(vmath::dot(r, r, d_head_) + T(1e-6)); }
  // Those that any row sees.
  static Index keys_seen(const ScoreBlock<T>& block) { return block.visible(block.query.rows - 1); }
  static Index chunks(const ScoreBlock<T>& block) { return (keys_seen(block) + chunk_keys - 1) / chunk_keys; }

  // m(r, c) = 0 for c > r + diagonal.
  static void clear_right(View<T> m, Index diagonal) {
    for (Index r = 0; r < m.rows; ++r) {
      const Index first = std::clamp<Index>(r + diagonal + 1, 0, m.cols);
      std::fill(m.row(r) + first, m.row(r) + m.cols, T(0));
    }
  }
  // (I + L) M = I, column by column of L: M starts as I, and row t, once complete, is subtracted L_st times from each row s > t. Whole
  // rows, with the zeros behind t, since vectors are faster than numbers.
  static View<T> inverse_of(const Chunk& c, Pass<T>& pass) {
    const View<T> m = pass.zeros(c.w.rows, c.w.rows);
    for (Index t = 0; t < m.rows; ++t) m(t, t) = T(1);
    for (Index t = 0; t < m.rows; ++t) {
      for (Index s = t + 1; s < m.rows; ++s)
        vmath::add_scaled(-c.beta(0, s) * c.along(s, t), m.row(t), m.row(s), m.cols);
    }
    return m;
  }
  static View<T> with_scaled_columns(View<const T> m, const T* factors, Pass<T>& pass) {
    const View<T> scaled = pass.allocate(m.rows, m.cols);
    for (Index r = 0; r < m.rows; ++r) vmath::multiply(m.row(r), factors, scaled.row(r), m.cols);
    return scaled;
  }
  static View<T> sum_of(View<const T> x, View<const T> y, Pass<T>& pass) {
    const View<T> sum = pass.allocate(x.rows, x.cols);
    for (Index r = 0; r < x.rows; ++r) vmath::add(x.row(r), y.row(r), sum.row(r), x.cols);
    return sum;
  }
  // R
  static View<T> later_along_keys(const Chunk& c, Pass<T>& pass) {
    const View<T> r = pass.allocate(c.key.rows, c.key.rows);
    multiply<T>(c.w, transposed(c.key), r);
    clear_right(r, -1);
    return r;
  }

  // `excess` is E of all rows of the block.
  Chunk chunk(const ScoreBlock<T>& block, Index number, View<T> excess, Pass<T>& pass) const {
    const Index first = number * chunk_keys;
    const Index keys = std::min(chunk_keys, keys_seen(block) - first);
    const View<const T> steps = at(block.layer).steps.of_keys(block, pass).row_range(first, keys);
    const Index head = block.head / group_;
    Chunk c{.first = first,
            .row = std::max<Index>(first - block.first_query, 0),
            .diagonal = std::max<Index>(block.first_query - first, 0),
            .key = block.key.row_range(first, keys),
            .w = steps.col_range(head * d_head_, d_head_),
            .beta = pass.allocate(1, keys),
            .along = pass.allocate(keys, keys)};
    for (Index t = 0; t < keys; ++t) c.beta(0, t) = steps(t, beta(head));
    multiply<T>(c.w, transposed(c.w), c.along);
    c.inverse = inverse_of(c, pass);
    c.excess = c.seeing(excess);
    c.u = sum_of(c.seeing(block.query), c.excess, pass);
    const View<T> x = pass.allocate(c.u.rows, keys);
    multiply<T>(c.u, transposed(c.w), x, T(1), T(0), c.half(Triangle::Of::result));
    clear_right(x, c.diagonal);
    c.p = pass.allocate(x.rows, keys);
    multiply<T>(x, c.inverse, c.p, T(1), T(0), c.half(Triangle::Of::left));
    c.weighted = with_scaled_columns(c.p, c.beta.data, pass);
    return c;
  }

  // Goes back to the first chunk, and computes gradients on the way to the last.
  void chunks_backward(const ScoreBlock<T>& block, Index number, View<T> excess,
                       const ScoreGradient<T>& gradient, const RowGradient& g, Pass<T>& pass) const {
    if (number < 0) return;
    const auto frame = pass.scratch_frame();
    const Chunk c = chunk(block, number, excess, pass);
    const View<T> left = pass.allocate(excess.rows, d_head_);
    copy_rows<T>(excess, left);
    multiply<T>(c.weighted, c.w, c.seeing(left), T(-1), T(1));
    chunks_backward(block, number - 1, left, gradient, g, pass);
    chunk_backward(block, c, gradient, {c.seeing(g.direct), c.seeing(g.excess)}, pass);
  }

  void chunk_backward(const ScoreBlock<T>& block, const Chunk& c, const ScoreGradient<T>& gradient,
                      const RowGradient& g, Pass<T>& pass) const {
    const Index keys = c.key.rows;
    const Index head = block.head / group_;
    const Triangle half = c.half(Triangle::Of::left);
    const View<const T> d = c.seeing(gradient.scores).col_range(c.first, keys);
    const View<const T> g_all = sum_of(g.direct, g.excess, pass);
    const View<const T> r = later_along_keys(c, pass);
    const View<T> d_weighted = pass.allocate(d.rows, keys);
    multiply<T>(g_all, transposed(c.w), d_weighted, T(-1));
    multiply<T>(d, transposed(r), d_weighted, -block.scale, T(1), half);
    const View<T> d_x = pass.allocate(d.rows, keys);
    multiply<T>(with_scaled_columns(d_weighted, c.beta.data, pass), transposed(c.inverse), d_x, T(1), T(0),
                c.half(Triangle::Of::result));
    clear_right(d_x, c.diagonal);
    const View<T> d_l = pass.allocate(keys, keys);
    multiply<T>(transposed(c.p), d_x, d_l, T(-1), T(0), half);
    clear_right(d_l, -1);
    const View<T> d_r = pass.allocate(keys, keys);
    multiply<T>(transposed(c.weighted), d, d_r, -block.scale, T(0), half);
    clear_right(d_r, -1);

    const View<T> d_steps = at(block.layer).steps.gradient_of_keys(block, pass).row_range(c.first, keys);
    const View<T> d_w = d_steps.col_range(head * d_head_, d_head_);
    multiply<T>(transposed(d_x), c.u, d_w, T(1), T(1), half);
    multiply<T>(transposed(c.weighted), g_all, d_w, T(-1), T(1), half);
    multiply_add<T>(d_r, c.key, d_w);
    for (Index i = 0; i < d.rows; ++i)
      vmath::multiply(d_weighted.row(i), c.p.row(i), d_weighted.row(i), keys);
    const View<T> d_beta = pass.zeros(1, keys);
    vmath::add_rows<T>(d_weighted, d_beta.data);
    for (Index s = 0; s < keys; ++s) {
      d_steps(s, beta(head)) += d_beta(0, s) + vmath::dot(d_l.row(s), c.along.row(s), s);
      vmath::scale(c.beta(0, s), d_l.row(s), s);
    }
    multiply_add<T>(d_l, c.w, d_w);
    multiply_add<T>(transposed(d_l), c.w, d_w);

    const View<T> d_key = gradient.key.row_range(c.first, keys);
    multiply<T>(transposed(d), c.excess, d_key, block.scale, T(1), half);
    multiply_add<T>(transposed(d_r), c.w, d_key);
    multiply<T>(d, c.key, g.direct, block.scale, T(1), half);
    multiply<T>(d_x, c.w, g.excess, T(1), T(1), half);
  }

  Index key_heads_;
  Index group_;  // query heads per key head
  Index d_head_;
  std::vector<OfLayer> layers_;
};

}  // namespace

EncodingEntry path_encoding() {
  return describe_encoding<Path>(
      {.name = "path",
       .formula =
           "q·(Π_{t=i…j+1} (I - β_t w_t w_tᵀ)) k/√d_h, w_t and β_t from the input of the attention layer",
       .source = "Yang et al. 2025, §2",
       .positions = PositionUse::nothing,
       .shift_invariant = true,
       .causal_only = true,
       .definition =
           R"(score_ij = q_i·H_i H_{i-1} … H_{j+1} k_j/√d_h,  H_t = I - β_t w_t w_tᵀ,  w_t = r_t/√(|r_t|² + 10⁻⁶),  r_t = W x_t,
  β_t = 2 σ(v·x_t + b),  σ(a) = 1/(1 + e^-a),
for j ≤ i; the query's own key is unchanged. x (tokens, d_model) is what the attention layer projects to q, k, v.
Each key head has its own W, v and b, which its query heads share. H_t reflects w_t for β = 2, removes it for
β = 1 and does nothing for β = 0. Positions are not read. This is the encoding of the paper without the short
convolution in front of w, and with W of full rank. In path+forgetting, Σ ln f_l is added as forgetting adds it;
the code of the authors (fla) also multiplies it by 1/√d_h. A drawing of the encoding alone has no x: there w = 0,
and nothing is changed.
Parameters:
  positional.path.<layer>.weight  W of each key head, then v of each  (n_kv_heads (d_h + 1), d_model)  model.init
  positional.path.<layer>.bias    b  (n_kv_heads)                                                      0)"});
}

}  // namespace ordinal

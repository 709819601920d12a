// PaTH (Yang et al. 2025): a score contains a product of matrices, which the tokens after the key up to the query decide. They do
// not commute, so their products can track states that rotations by positions cannot.
#include <algorithm>
#include <cmath>

#include "framework/math/blas.h"
#include "framework/math/lanes.h"
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

  void encode_scores(const ScoreBlock<T>& block, View<T> scores, Pass<T>& pass) const override {
    const auto frame = pass.scratch_frame();
    const Vectors u = queries_of(block, pass);
    const View<T> added = pass.allocate(1, scores.rows);
    go_back(block, u, pass, [&](Index j, Index first) {
      multiply_columns(block.key.row(j), u.excess, first, added.data);
      for (Index r = first; r < scores.rows; ++r) scores(r, j) += block.scale * added(0, r);
    });
  }

  // For row i, u_i = q_i and u_{j-1} = H_j u_j give score_ij = u_j·k_j/√d_h. u = q + excess, because attention itself adds
  // q_i·k_j/√d_h. With D the gradient of the scores and g the gradient of u, both for row i, from the first key on:
  //   dβ_j -= Σ_i (w_j·u_j)(w_j·g_{j-1})         dw_j -= β_j Σ_i ((w_j·u_j) g_{j-1} + (w_j·g_{j-1}) u_j)
  //   dk_j += Σ_i D_ij excess_j/√d_h             g_j = H_j g_{j-1} + D_ij k_j/√d_h
  // Attention itself adds Σ_j D_ij k_j/√d_h to dq_i; the rest of g_i is the excess. The pass back to the first key stores
  // w_j·u_j, from which the pass forward recovers u_j.
  void encode_scores_backward(const ScoreBlock<T>& block, const ScoreGradient<T>& gradient,
                              Pass<T>& pass) const override {
    const auto frame = pass.scratch_frame();
    const Index rows = block.query.rows;
    const Vectors u = queries_of(block, pass);
    const View<T> along_u = pass.allocate(block.key.rows, rows);
    go_back(
        block, u, pass, [](Index /*j*/, Index /*first*/) {}, along_u);
    const Vectors g = zeros_for(block, pass);
    const View<T> along_g = pass.allocate(1, rows);
    const View<T> sums = pass.allocate(3, d_head_);
    const View<T> d_scores = pass.allocate(block.key.rows, rows);
    transpose<T>(gradient.scores, d_scores);
    const View<const T> steps = at(block.layer).steps.of_keys(block, pass);
    const View<T> d_steps = at(block.layer).steps.gradient_of_keys(block, pass);
    const Index head = block.head / group_;
    for (Index j = 0; j < block.key.rows; ++j) {
      const Index first = first_row(block, j);
      const T* w = steps.row(j) + head * d_head_;
      const T beta_j = steps(j, beta(head));
      const T* of_u = along_u.row(j);
      T* of_g = along_g.data;
      const T* d_score = d_scores.row(j) + first;
      multiply_columns(w, g.all, first, of_g);
      u.add(beta_j, w, of_u, first);
      times_column(seeing(g.all, first), of_u + first, sums.row(0));
      times_column(seeing(u.all, first), of_g + first, sums.row(1));
      times_column(seeing(u.excess, first), d_score, sums.row(2));
      d_steps(j, beta(head)) -= vmath::dot(of_u + first, of_g + first, rows - first);
      for (Index c = 0; c < d_head_; ++c) {
        d_steps(j, head * d_head_ + c) -= beta_j * (sums(0, c) + sums(1, c));
        gradient.key(j, c) += block.scale * sums(2, c);
      }
      g.add(-beta_j, w, of_g, first);
      add_outer(block.scale, block.key.row(j), d_score, seeing(g.all, first));
    }
    for (Index r = 0; r < rows; ++r) {
      for (Index c = 0; c < d_head_; ++c) gradient.query(r, c) += g.excess(c, r);
    }
  }

 private:
  struct OfLayer {
    Slot weight;         // W of all key heads, then v of each: (n_kv_heads (d_head + 1), d_model)
    Slot bias;           // b (n_kv_heads)
    TokenRows<T> steps;  // w of all key heads, then β of each: n_kv_heads (d_head + 1)
  };
  // A vector for each row of a block, and its difference from what attention itself computes: (d_head, rows) each.
  struct Vectors {
    View<T> all;
    View<T> excess;

    // Adds a x_c y_r to dimension c of row r of both, for the rows from `first` on.
    void add(T a, const T* x, const T* y, Index first) const {
      const Index start = start_of_vector(first);
      for (const View<T> part : {all, excess}) add_outer(a, x, y + start, seeing(part, start));
    }
  };

  Index width() const { return key_heads_ * (d_head_ + 1); }
  // The column of β of a key head.
  Index beta(Index head) const { return key_heads_ * d_head_ + head; }
  const OfLayer& at(Index layer) const { return layers_[static_cast<std::size_t>(layer)]; }
  // 1/|r|, finite for r = 0.
  T inverse_length(const T* r) const { return T(1) / std::sqrt(vmath::dot(r, r, d_head_) + T(1e-6)); }
  // The first row that sees key j.
  static Index first_row(const ScoreBlock<T>& block, Index j) {
    return std::max<Index>(j - block.first_query, 0);
  }

  Vectors zeros_for(const ScoreBlock<T>& block, Pass<T>& pass) const {
    return {pass.zeros(d_head_, block.query.rows), pass.zeros(d_head_, block.query.rows)};
  }
  Vectors queries_of(const ScoreBlock<T>& block, Pass<T>& pass) const {
    const Vectors queries = zeros_for(block, pass);
    transpose<T>(block.query, queries.all);
    return queries;
  }

  // The columns of the rows that see a key: those from `first` on.
  static View<T> seeing(View<T> columns, Index first) {
    return columns.col_range(first, columns.cols - first);
  }
  // Where the whole vector that holds row `first` starts. Its rows before `first` cost nothing and add zeros.
  static Index start_of_vector(Index first) { return first - first % 16; }

  // y_r = Σ_c x_c columns(c, r) for the rows from `first` on, and 0 for earlier rows in the same vector.
  static void multiply_columns(const T* x, View<T> columns, Index first, T* y) {
    const Index start = start_of_vector(first);
    constexpr Index lanes = Lanes<T>::count;
    Index r = start;
    for (; r + lanes <= columns.cols; r += lanes) {
      Lanes<T> sum{};
      for (Index c = 0; c < columns.rows; ++c) sum = sum + Lanes<T>::at(columns.row(c) + r) * x[c];
      sum.store(y + r);
    }
    for (; r < columns.cols; ++r) {
      y[r] = T(0);
      for (Index c = 0; c < columns.rows; ++c) y[r] += columns(c, r) * x[c];
    }
    std::fill(y + start, y + first, T(0));
  }
  // y_c = Σ_r columns(c, r) x_r.
  static void times_column(View<const T> columns, const T* x, T* y) {
    for (Index c = 0; c < columns.rows; ++c) y[c] = vmath::dot(columns.row(c), x, columns.cols);
  }
  // columns(c, r) += a x_c y_r.
  static void add_outer(T a, const T* x, const T* y, View<T> columns) {
    for (Index c = 0; c < columns.rows; ++c) vmath::add_scaled(a * x[c], y, columns.row(c), columns.cols);
  }

  // Goes from the last key to the first: visit(j, first row that sees key j) with u_j, then u_{j-1} = u_j - β_j w_j (w_j·u_j).
  // Stores the products w_j·u_j in row j of `along`, unless it is empty.
  template <typename Visit>
  void go_back(const ScoreBlock<T>& block, const Vectors& u, Pass<T>& pass, const Visit& visit,
               View<T> along = {}) const {
    const View<const T> steps = at(block.layer).steps.of_keys(block, pass);
    const Index head = block.head / group_;
    const View<T> scratch = pass.allocate(1, block.query.rows);
    for (Index j = block.key.rows - 1; j >= 0; --j) {
      const Index first = first_row(block, j);
      visit(j, first);
      const T* w = steps.row(j) + head * d_head_;
      T* of_u = along.rows > 0 ? along.row(j) : scratch.data;
      multiply_columns(w, u.all, first, of_u);
      u.add(-steps(j, beta(head)), w, of_u, first);
    }
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

// GRAPE-AP (Zhang et al. 2025): a bias that adds up over the tokens after the key up to the query, where each step depends on the
// query and on the token that it passes.
#include <algorithm>
#include <cmath>

#include "framework/core/decode_cache.h"
#include "framework/math/blas.h"
#include "framework/math/vector_math.h"
#include "framework/positional/distance_bias.h"
#include "framework/positional/rotary.h"

namespace ordinal {
namespace {

struct GrapeOptions {
  Index width = 0;

  void visit(OptionVisitor& v) {
    v.integer("width", width, automatic_or(2, 65536),
              "d_p, dimensions of p in a head, an even number; 0: d_h");
  }
  void resolve(const ModelShape& shape) {
    if (width == 0) width = shape.d_head();
    if (width % 2 == 0) return;
    throw ConfigError("grape: width = " + std::to_string(width) + ", expected an even number");
  }
};

/// The step of token t for query i: g_it = m_h ln σ(p_i·r_t/d_p), where r_t is p_t/rms(p_t) rotated by t radians.
template <typename T>
class Grape final : public EncodingPart<T> {
 public:
  Grape(const ModelShape& shape, const GrapeOptions& options, const Scope& scope)
      : width_(options.width), slopes_(alibi_slopes(shape.heads)) {
    const Index all = shape.heads * width_;
    for (Index layer = 0; layer < shape.layers; ++layer) {
      const Scope own = scope.nested(std::to_string(layer));
      layers_.push_back({own.add("weight", {all, shape.d_model}, own.initial_weights().inner(shape.d_model)),
                         TokenRows<T>(2 * all, scope)});
    }
  }

  void encode_layer(View<const T> x, Index layer, Pass<T>& pass) const override {
    const OfLayer& of = at(layer);
    const Index all = of.weight.rows;
    const View<T> rows = pass.allocate(x.rows, 2 * all);
    const View<T> p = rows.col_range(0, all);
    const View<T> turned = rows.col_range(all, all);
    multiply<T>(x, transposed(pass.value(of.weight)), p);
    copy_rows<T>(p, turned);
    for_each_head(turned, pass, [&](Index t, T* head, double sine, double cosine) {
      vmath::scale(T(1) / rms(p.row(t) + (head - turned.row(t))), head, width_);
      rotate(head, sine, cosine);
    });
    of.rows.keep(rows, pass, 2 * all);
    pass.save("Grape", x);
  }

  // r = R(t) p/ρ with ρ = rms(p): with g = R(-t) dr, dp += (g - (p·g/(ρ² d_p)) p)/ρ.
  void encode_layer_backward(View<T> dx, Index layer, Pass<T>& pass) const override {
    const OfLayer& of = at(layer);
    const Index all = of.weight.rows;
    const View<const T> x = pass.restore("Grape");
    const View<const T> p = of.rows.of_run(pass).col_range(0, all);
    const View<T> d = of.rows.gradient(pass);
    const View<T> d_p = d.col_range(0, all);
    const View<T> d_turned = d.col_range(all, all);
    for_each_head(d_turned, pass, [&](Index t, T* head, double sine, double cosine) {
      rotate(head, -sine, cosine);
      const Index first = head - d_turned.row(t);
      const T* own = p.row(t) + first;
      const T inverse = T(1) / rms(own);
      const T along = vmath::dot(own, head, width_) * inverse * inverse / static_cast<T>(width_);
      for (Index c = 0; c < width_; ++c) d_p(t, first + c) += inverse * (head[c] - along * own[c]);
    });
    multiply_add<T>(transposed(d_p), x, pass.gradient(of.weight));
    multiply_add<T>(d_p, pass.value(of.weight), dx);
  }

  void encode_scores(const ScoreBlock<T>& block, View<T> scores, Pass<T>& pass) const override {
    const auto frame = pass.scratch_frame();
    const View<T> steps = products(block, pass);
    for (Index r = 0; r < scores.rows; ++r) {
      T* step = steps.row(r);
      T* score = scores.row(r);
      const Index visible = block.visible(r);
      vmath::softplus(step, step, visible);
      double sum = 0.0;
      for (Index j = visible - 1; j >= 0; --j) {
        score[j] -= static_cast<T>(sum);
        sum += slope(block) * static_cast<double>(step[j]);
      }
    }
  }

  // With y_it = -p_i·r_t/d_p and D the gradient of the scores: dy_it = -m_h σ(y_it) Σ_{j < t} D_ij.
  void encode_scores_backward(const ScoreBlock<T>& block, const ScoreGradient<T>& gradient,
                              Pass<T>& pass) const override {
    const auto frame = pass.scratch_frame();
    const View<T> d_products = products(block, pass);
    for (Index r = 0; r < d_products.rows; ++r) {
      T* row = d_products.row(r);
      const T* d_score = gradient.scores.row(r);
      const Index visible = block.visible(r);
      vmath::sigmoid(row, row, visible);
      double earlier = 0.0;
      for (Index t = 0; t < visible; ++t) {
        row[t] *= static_cast<T>(-slope(block) * earlier);
        earlier += static_cast<double>(d_score[t]);
      }
      std::fill(row + visible, row + d_products.cols, T(0));
    }
    const Rows<View<const T>> rows = of_block(block, at(block.layer).rows.of_keys(block, pass));
    const Rows<View<T>> d = of_block(block, at(block.layer).rows.gradient_of_keys(block, pass));
    const T scale = T(-1) / static_cast<T>(width_);
    const Triangle half = block.half(Triangle::Of::left);
    multiply<T>(d_products, rows.turned, d.queries, scale, T(1), half);
    multiply<T>(transposed(d_products), rows.queries, d.turned, scale, T(1), half);
  }

 private:
  struct OfLayer {
    Slot weight;        // W (heads·d_p, d_model)
    TokenRows<T> rows;  // p of all heads, then r of all heads
  };
  template <typename Matrix>
  struct Rows {
    Matrix queries;  // p of the queries of a block
    Matrix turned;   // r of its keys
  };

  const OfLayer& at(Index layer) const { return layers_[static_cast<std::size_t>(layer)]; }
  double slope(const ScoreBlock<T>& block) const { return slopes_[static_cast<std::size_t>(block.head)]; }
  T rms(const T* p) const { return std::sqrt(vmath::dot(p, p, width_) / static_cast<T>(width_) + T(1e-6)); }

  // All pairs (c, c + d_p/2) of a head turn by the same angle.
  void rotate(T* head, double sine, double cosine) const {
    const auto s = static_cast<T>(sine);
    const auto c = static_cast<T>(cosine);
    for (Index i = 0; i < width_ / 2; ++i) {
      const T a = head[i];
      const T b = head[i + width_ / 2];
      head[i] = a * c - b * s;
      head[i + width_ / 2] = a * s + b * c;
    }
  }

  // Calls visit(t, head of row t, sine and cosine of the position of t).
  template <typename Visit>
  void for_each_head(View<T> rows, const Pass<T>& pass, const Visit& visit) const {
    for (Index t = 0; t < rows.rows; ++t) {
      const auto own = pass.run().positions.of(t / pass.seq_len());
      const double angle = own[static_cast<std::size_t>(t % pass.seq_len())];
      for (Index first = 0; first < rows.cols; first += width_)
        visit(t, rows.row(t) + first, std::sin(angle), std::cos(angle));
    }
  }

  template <typename Element>
  Rows<View<Element>> of_block(const ScoreBlock<T>& block, View<Element> keys) const {
    const Index first = block.head * width_;
    return {keys.row_range(block.first_query, block.query.rows).col_range(first, width_),
            keys.col_range(keys.cols / 2 + first, width_)};
  }

  // y (rows, keys): a step is -m_h softplus(y) = m_h ln σ(-y).
  View<T> products(const ScoreBlock<T>& block, Pass<T>& pass) const {
    const Rows<View<const T>> rows = of_block(block, at(block.layer).rows.of_keys(block, pass));
    const View<T> y = pass.allocate(block.query.rows, block.key.rows);
    multiply<T>(rows.queries, transposed(rows.turned), y, T(-1) / static_cast<T>(width_), T(0),
                block.half(Triangle::Of::result));
    return y;
  }

  Index width_;
  std::vector<double> slopes_;  // one for each head
  std::vector<OfLayer> layers_;
};

}  // namespace

EncodingEntry grape_encoding() {
  return describe_encoding<Grape, GrapeOptions>(
      {.name = "grape",
       .formula =
           "q·k/√d_h + m_h Σ_{t=j+1…i} ln σ(p_i·R(t) p_t/(rms(p_t) d_p)), p = W x, x the input of the layer",
       .source = "Zhang et al. 2025, GRAPE-AP",
       .causal_only = true,
       .definition =
           R"(score_ij = q_i·k_j/√d_h + m_h Σ_{t = j+1 … i} ln σ(p_i·r_t/d_p),
  r_t = R(n_t) p_t/√(|p_t|²/d_p + 10⁻⁶),   p_t = W_h x_t,
for heads h = 0 … H - 1, j ≤ i, with n_t the position of token t and R(n) the rotation of all pairs (c, c + d_p/2)
by n radians. m_h are the slopes of alibi, d_p = width (0: d_h), σ(a) = 1/(1 + e^-a). x (tokens, d_model) is
what the attention layer projects to q, k and v. The form is that of the authors' code (llama-mha-grape-a-pi):
p_i is neither rotated nor normalised, so a step depends on the position of its token, and not on its distance.
With p = 0 every step is -m_h ln 2, which is alibi with slopes ln 2 times as steep. Query heads that share a key
head each have their own p. A drawing of the encoding alone has no x and shows that.
Parameters:
  positional.grape.<layer>.weight  W of each head  (H d_p, d_model)  model.init)"});
}

}  // namespace ordinal

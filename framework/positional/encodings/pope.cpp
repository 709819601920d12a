// PoPE (Gopalakrishnan et al. 2025): queries and keys as complex numbers, with magnitudes from the content and phases from the
// position alone.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "framework/core/decode_cache.h"
#include "framework/math/blas.h"
#include "framework/math/vector_math.h"
#include "framework/positional/rotary.h"

namespace ordinal {
namespace {

struct PopeOptions {
  SinusoidOptions sines;
  bool phase = true;

  void visit(OptionVisitor& v) {
    sines.visit(v);
    v.flag("phase", phase, "δ is learned, from 0; false: there is none", Binds::training);
  }
  void resolve(const ModelShape& shape) { sines.resolve(shape); }
};

/// With μ = softplus(x): cos((i - j) θ - δ) = cos iθ cos(jθ + δ) + sin iθ sin(jθ + δ), so a score is the product of the cosine
/// parts, which take the place of q and k, and that of the sine parts, which this class keeps and adds.
template <typename T>
class Pope final : public EncodingPart<T> {
 public:
  Pope(const ModelShape& shape, const PopeOptions& options, const Scope& scope)
      : d_head_(shape.d_head()),
        group_(shape.heads / shape.n_kv_heads),
        rotary_(shape, {.sines = options.sines, .dimensions = 2 * d_head_, .turning_pairs = d_head_}, scope) {
    for (Index layer = 0; layer < shape.layers; ++layer) {
      const Scope own = scope.nested(std::to_string(layer));
      layers_.push_back({options.phase ? own.add("phase", {shape.n_kv_heads, d_head_}, zeros()) : Slot{},
                         RunRows<T>(scope), TokenRows<T>(shape.n_kv_heads * d_head_, scope)});
    }
  }

  std::vector<double> frequencies(const Stretch& stretch) const override {
    return rotary_.frequencies(stretch);
  }
  void begin_run(Pass<T>& pass) const override { rotary_.begin_run(pass); }

  void encode_query_key(View<T> query, View<T> key, const LayerAt& at_layer, Pass<T>& pass) const override {
    const OfLayer& of = at(at_layer.number);
    const View<T> query_sines = split(query, {}, pass);
    const View<T> key_sines = split(key, phases(of, pass), pass);
    of.queries.keep(query_sines, pass, query.cols);
    of.keys.keep(key_sines, pass, key.cols);
  }

  void encode_query_key_backward(View<T> d_query, View<T> d_key, const LayerAt& at_layer,
                                 Pass<T>& pass) const override {
    const OfLayer& of = at(at_layer.number);
    const View<const T> phase = phases(of, pass);
    const View<T> d_phase = of.phase.rows > 0 ? pass.zeros(of.phase.rows, d_head_) : View<T>{};
    join(d_key, of.keys.gradient(pass), phase, d_phase, pass);
    join(d_query, of.queries.gradient(pass), {}, {}, pass);
    for (Index h = 0; h < d_phase.rows; ++h) {
      for (Index c = 0; c < d_head_; ++c)
        if (is_free(pass.value(of.phase)(h, c))) pass.gradient(of.phase)(h, c) += d_phase(h, c);
    }
  }

  void encode_scores(const ScoreBlock<T>& block, View<T> scores, Pass<T>& pass) const override {
    const OfLayer& of = at(block.layer);
    multiply<T>(query_rows(block, of.queries.of_run(pass), pass),
                transposed(of_key_head(block, of.keys.of_keys(block, pass))), scores, block.scale, T(1),
                block.half(Triangle::Of::result));
  }

  // With a and b the sine parts of queries and keys: da += scale · dS b,   db += scale · dSᵀ a.
  void encode_scores_backward(const ScoreBlock<T>& block, const ScoreGradient<T>& gradient,
                              Pass<T>& pass) const override {
    const OfLayer& of = at(block.layer);
    const Triangle half = block.half(Triangle::Of::left);
    multiply<T>(gradient.scores, of_key_head(block, of.keys.of_keys(block, pass)),
                query_rows(block, of.queries.gradient(pass), pass), block.scale, T(1), half);
    multiply<T>(transposed(gradient.scores), query_rows(block, of.queries.of_run(pass), pass),
                of_key_head(block, of.keys.gradient_of_keys(block, pass)), block.scale, T(1), half);
  }

 private:
  struct OfLayer {
    Slot phase;          // δ (n_kv_heads, d_head), or nothing
    RunRows<T> queries;  // μ sin pθ (tokens, heads·d_head)
    TokenRows<T> keys;   // μ sin(pθ + δ) (n_kv_heads·d_head)
  };

  const OfLayer& at(Index layer) const { return layers_[static_cast<std::size_t>(layer)]; }
  static bool is_free(T phase) { return phase <= T(0) && phase >= T(-2) * std::numbers::pi_v<T>; }

  // Rows of cos δ, then sin δ, of each key head; nothing without phases.
  View<const T> phases(const OfLayer& of, Pass<T>& pass) const {
    if (of.phase.rows == 0) return {};
    const View<T> all = pass.allocate(of.phase.rows, 2 * d_head_);
    for (Index h = 0; h < all.rows; ++h) {
      for (Index c = 0; c < d_head_; ++c) {
        const double phase = std::clamp<double>(pass.value(of.phase)(h, c), -2.0 * std::numbers::pi, 0.0);
        all(h, c) = static_cast<T>(std::cos(phase));
        all(h, d_head_ + c) = static_cast<T>(std::sin(phase));
      }
    }
    return all;
  }

  // Calls visit(t, h, sines, cosines) with those of pθ + δ for head h of token t.
  template <typename Visit>
  void for_each_head(View<const T> x, View<const T> phase, Pass<T>& pass, const Visit& visit) const {
    const View<T> turned = pass.allocate(2, d_head_);
    for (Index t = 0; t < x.rows; ++t) {
      const T* sine = rotary_.angles(pass, t);
      const T* cosine = sine + d_head_;
      for (Index h = 0; h < x.cols / d_head_; ++h) {
        if (phase.rows == 0) {
          visit(t, h, sine, cosine);
          continue;
        }
        const T* of_phase = phase.row(h);
#pragma omp simd
        for (Index c = 0; c < d_head_; ++c) {
          turned(0, c) = sine[c] * of_phase[c] + cosine[c] * of_phase[d_head_ + c];
          turned(1, c) = cosine[c] * of_phase[c] - sine[c] * of_phase[d_head_ + c];
        }
        visit(t, h, turned.row(0), turned.row(1));
      }
    }
  }

  // x becomes μ cos φ. Returns μ sin φ.
  View<T> split(View<T> x, View<const T> phase, Pass<T>& pass) const {
    if (pass.run().record) {
      const View<T> given = pass.allocate(x.rows, x.cols);
      copy_rows<T>(x, given);
      pass.save("Pope", given);
    }
    const View<T> sines = pass.allocate(x.rows, x.cols);
    for (Index t = 0; t < x.rows; ++t) vmath::softplus(x.row(t), sines.row(t), x.cols);
    for_each_head(x, phase, pass, [&](Index t, Index h, const T* sine, const T* cosine) {
      T* out = x.row(t) + h * d_head_;
      T* magnitude = sines.row(t) + h * d_head_;
#pragma omp simd
      for (Index c = 0; c < d_head_; ++c) {
        out[c] = magnitude[c] * cosine[c];
        magnitude[c] *= sine[c];
      }
    });
    return sines;
  }

  // With dC and dS the gradients of both parts: dμ = dC cos φ + dS sin φ, dx = σ(x) dμ, dδ += μ (dS cos φ - dC sin φ).
  void join(View<T> d, View<const T> d_sines, View<const T> phase, View<T> d_phase, Pass<T>& pass) const {
    const View<const T> x = pass.restore("Pope");
    const auto frame = pass.scratch_frame();
    const View<T> magnitude = pass.allocate(2, x.cols);
    Index row = -1;
    for_each_head(x, phase, pass, [&](Index t, Index h, const T* sine, const T* cosine) {
      if (t != row) {
        vmath::softplus(x.row(t), magnitude.row(0), x.cols);
        vmath::sigmoid(x.row(t), magnitude.row(1), x.cols);
        row = t;
      }
      const Index first = h * d_head_;
      const T* d_sine = d_sines.row(t) + first;
      T* d_cosine = d.row(t) + first;
      for (Index c = 0; c < d_phase.cols; ++c)
        d_phase(h, c) += magnitude(0, first + c) * (d_sine[c] * cosine[c] - d_cosine[c] * sine[c]);
      const T* slope = magnitude.row(1) + first;
#pragma omp simd
      for (Index c = 0; c < d_head_; ++c)
        d_cosine[c] = slope[c] * (d_cosine[c] * cosine[c] + d_sine[c] * sine[c]);
    });
  }

  template <typename Element>
  View<Element> of_key_head(const ScoreBlock<T>& block, View<Element> rows) const {
    return rows.col_range(block.head / group_ * d_head_, d_head_);
  }
  // The rows for the queries of a block, which are among the tokens of the run.
  template <typename Element>
  View<Element> query_rows(const ScoreBlock<T>& block, View<Element> rows, const Pass<T>& pass) const {
    const DecodeCache<T>* cache = pass.run().cache;
    const Index older = cache != nullptr ? cache->length() : 0;
    return pass.rows_of(rows, block.sequence)
        .row_range(block.first_key + block.first_query - older, block.query.rows)
        .col_range(block.head * d_head_, d_head_);
  }

  Index d_head_;
  Index group_;  // query heads per key head
  Rotary<T> rotary_;
  std::vector<OfLayer> layers_;
};

}  // namespace

EncodingEntry pope_encoding() {
  return describe_encoding<Pope, PopeOptions>(
      {.name = "pope",
       .formula = "Σ_c softplus(q_c) softplus(k_c) cos((i - j) θ_c - δ_c)/√d_h, θ_c = base^(-c/d_h)",
       .beyond =
           "runs, at angles that training has not shown; positions = interpolated, ntk, yarn … slow them",
       .source = "Gopalakrishnan et al. 2025, §3",
       .positions = PositionUse::rotary,
       .shift_invariant = true,
       .definition =
           R"(score_ij = Σ_c softplus(q_ic) softplus(k_jc) cos((p_i - p_j) θ_c - clip(δ_c, -2π, 0))/√d_h,  c = 0 … d_h - 1,
  θ_c = base^(-c/d_h),   softplus(x) = ln(1 + e^x), at positions p that are any real numbers.
The sign of q and k no longer says anything, so content decides how much and position where: rope has d_h/2
frequencies, and phases from the content. With phase = false there is no δ. Each key head has its own δ, which its
query heads share. Attention keeps the part softplus(q) cos(p θ) in place of q and softplus(k) cos(p θ + δ) in
place of k, which is what other encodings then read; this one adds the part with sines to the scores. Positions
ntk, dynamic_ntk, yarn and longrope replace θ, with r = 2 d_h in their formulas. base and precision: as for rope.
Parameters:
  positional.pope.<layer>.phase  δ  (n_kv_heads, d_h)  0)"});
}

}  // namespace ordinal

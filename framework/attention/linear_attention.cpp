// Linear attention: products of query and key features replace the softmax. A state of fixed size then replaces all
// keys and values, and the work per token does not grow with the length of the text.
#include <algorithm>

#include "framework/attention/head_columns.h"
#include "framework/attention/linear_head_attention.h"
#include "framework/core/decode_cache.h"
#include "framework/layers/layer_registry.h"
#include "framework/math/vector_math.h"

namespace ordinal {
namespace {

/// See the definition below. For later tokens, a causal layer keeps
///   S_t = S_{t-1} + R_t φ(k_t)ᵀ v_t  (d_head, d_head)   and   z_t = z_{t-1} + φ(k_t)  (d_head).
template <typename T>
class LinearAttention final : public Layer<T> {
 public:
  /// Throws std::invalid_argument as HeadColumns and encoding_for() do.
  LinearAttention(const LayerContext<T>& context, const NoOptions& /*options*/, const Scope& scope)
      : shape_(context.shape),
        columns_("LinearAttention", shape_),
        encoding_(encoding_for("LinearAttention", context.encoding, shape_)),
        projections_(columns_, context.bias, scope),
        of_head_(shape_.causal) {
    if (shape_.causal) state_ = scope.add_state({.rows = columns_.d_head + 1, .cols = columns_.key_width});
  }

  Index input_width() const override { return shape_.d_model; }
  Mixing mixing() const override { return shape_.causal ? Mixing::cached : Mixing::uncached; }

  View<const T> forward(View<const T> x, Pass<T>& pass) const override {
    this->check_width("LinearAttention", x);
    const View<const T> qkv = projections_.qkv.forward(x, pass);
    const View<const T> features = features_of(qkv, pass);
    const View<const T> rotated = turned(features, pass);
    const View<T> out = pass.zeros(x.rows, shape_.d_model);
    const View<T> totals = pass.allocate(x.rows, shape_.heads);
    DecodeCache<T>* cache = pass.run().cache;
    for (Index sequence = 0; sequence < pass.batch(); ++sequence) {
      for (Index head = 0; head < shape_.heads; ++head) {
        const auto frame = pass.scratch_frame();
        const Sums sums = LinearHeadAttention<T>::zero_sums(columns_.d_head, pass);
        if (cache != nullptr)
          copy_rows<T>(columns_.of_key_head(cache->state(state_, sequence), head), sums.all);
        of_head_.forward(head_of<const T>(features, rotated, qkv, sequence, head, pass), sums,
                         columns_.of_query_head(pass.rows_of(out, sequence), head),
                         pass.rows_of(totals, sequence).col_range(head, 1), pass);
        const bool last_of_group = head % columns_.group == columns_.group - 1;
        if (cache != nullptr && last_of_group)
          copy_rows<T>(sums.all, columns_.of_key_head(cache->state(state_, sequence), head));
      }
    }
    for (const View<const T> saved : {qkv, features, rotated, View<const T>(totals), View<const T>(out)})
      pass.save("LinearAttention", saved);
    return projections_.output.forward(out, pass);
  }

  // dφ adds the gradients through denominators and, rotated back, through numerators. φ'(x) = min(φ(x), 1).
  View<const T> backward(View<const T> dy, Pass<T>& pass) const override {
    const View<const T> d_out = projections_.output.backward(dy, pass);
    const View<const T> out = pass.restore("LinearAttention");
    const View<const T> totals = pass.restore("LinearAttention");
    const View<const T> rotated = pass.restore("LinearAttention");
    const View<const T> features = pass.restore("LinearAttention");
    const View<const T> qkv = pass.restore("LinearAttention");
    const View<T> d_qkv = pass.zeros(qkv.rows, qkv.cols);
    const View<T> d_features = pass.zeros(features.rows, features.cols);
    const View<T> d_turned = pass.zeros(features.rows, features.cols);
    for (Index sequence = 0; sequence < pass.batch(); ++sequence) {
      for (Index head = 0; head < shape_.heads; ++head) {
        of_head_.backward(head_of<const T>(features, rotated, qkv, sequence, head, pass),
                          columns_.of_query_head(pass.rows_of(d_out, sequence), head),
                          columns_.of_query_head(pass.rows_of(out, sequence), head),
                          pass.rows_of(totals, sequence).col_range(head, 1),
                          head_of<T>(d_features, d_turned, d_qkv, sequence, head, pass), pass);
      }
    }
    encoding_.encode_query_key_backward(columns_.queries(d_turned), columns_.keys(d_turned), {}, pass);
    for (Index r = 0; r < features.rows; ++r) {
      for (Index c = 0; c < features.cols; ++c) {
        d_qkv(r, c) = std::min(features(r, c), T(1)) * (d_features(r, c) + d_turned(r, c));
      }
    }
    return projections_.qkv.backward(d_qkv, pass);
  }

 private:
  template <typename Element>
  using Head = typename LinearHeadAttention<T>::template Head<Element>;
  using Sums = typename LinearHeadAttention<T>::Sums;

  Index feature_width() const { return columns_.query_width + columns_.key_width; }

  // φ of queries and keys, side by side.
  View<T> features_of(View<const T> qkv, Pass<T>& pass) const {
    const View<T> features = pass.allocate(qkv.rows, feature_width());
    for (Index r = 0; r < features.rows; ++r) {
      const T* x = qkv.row(r);
      T* y = features.row(r);
      for (Index c = 0; c < features.cols; ++c) y[c] = std::min(x[c], T(0));
      vmath::exp_shifted(y, T(0), y, features.cols);
      for (Index c = 0; c < features.cols; ++c) y[c] += std::max(x[c], T(0));
    }
    return features;
  }

  View<T> turned(View<const T> features, Pass<T>& pass) const {
    const View<T> turned = pass.allocate(features.rows, features.cols);
    copy_rows(features, turned);
    encoding_.encode_query_key(columns_.queries(turned), columns_.keys(turned), {}, pass);
    return turned;
  }

  template <typename Element>
  Head<Element> head_of(View<Element> features, View<Element> turned, View<Element> qkv, Index sequence,
                        Index head, const Pass<T>& pass) const {
    const auto query = [&](View<Element> all) {
      return columns_.of_query_head(columns_.queries(pass.rows_of(all, sequence)), head);
    };
    const auto key = [&](View<Element> all) {
      return columns_.of_key_head(columns_.keys(pass.rows_of(all, sequence)), head);
    };
    return {query(features), key(features), query(turned), key(turned),
            columns_.of_key_head(columns_.values(pass.rows_of(qkv, sequence)), head)};
  }

  ModelShape shape_;
  HeadColumns columns_;
  const PositionalEncoding<T>& encoding_;
  Projections<T> projections_;
  LinearHeadAttention<T> of_head_;
  StateSlot state_;  // S of all key heads side by side, then a row with their z; only if causal
};

}  // namespace

LayerEntry linear_attention_layer() {
  return describe_layer<LinearAttention>(
      {.name = "linear_attention",
       .kind = LayerKind::branch,
       .summary = "attention by sums of φ(q)·φ(k) v, φ = elu + 1, without a softmax; rope and xpos rotate "
                  "the numerator; Katharopoulos et al. 2020, Su et al. 2021, §3.3",
       .definition =
           R"([q k v] = x W_qkvᵀ + b with heads as in attention (--list attention), φ(x) = elu(x) + 1 = e^min(x, 0) + max(x, 0),
and R_t the rotation of token t by rope or xpos, or nothing. For each query head
  o_t = Σ_s (R_t φ(q_t))·(R_s φ(k_s)) v_s / (Σ_s φ(q_t)·φ(k_s) + 10⁻⁶)
over s ≤ t in a causal model, or all s in an encoder, and y_t = [o_t of all heads] W_outᵀ + b_out. Only the
numerator is rotated, because the denominator of rotated features could become 0. Encodings that act on scores are
rejected.
Parameters:
  block.N.linear_attention.qkv.weight     W_qkv  ((H + 2 n_kv_heads) d_h, d_model)  model.init
  block.N.linear_attention.qkv.bias       b      ((H + 2 n_kv_heads) d_h)           0
  block.N.linear_attention.output.weight  W_out  (d_model, d_model)                 model.init, last
  block.N.linear_attention.output.bias    b_out  (d_model)                          0
Katharopoulos et al. 2020, §3; the rotation: Su et al. 2021, §3.3.)",
       .only_rotates = true});
}

}  // namespace ordinal

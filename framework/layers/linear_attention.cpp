// Linear attention: products of features of queries and keys stand for the softmax, so that a state of fixed size
// replaces all keys and values, and the work of a token does not grow with the length of its text.
#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "framework/core/blas.h"
#include "framework/core/decode_cache.h"
#include "framework/core/vector_math.h"
#include "framework/layers/linear.h"
#include "framework/layers/registry.h"

namespace ordinal {
namespace {

/// Added to denominators, as in the authors' code.
constexpr double least_denominator = 1e-6;
/// Tokens whose sums over each other are products of matrices.
constexpr Index chunk_rows = 64;

/// For each head, with q, k, v of one product x W_qkvᵀ + b as in SelfAttention, φ(x) = elu(x) + 1 = e^min(x, 0) +
/// max(x, 0), and R_t what the encoding does to a query or key of token t (a rotation, or nothing):
///   o_t = Σ_s (R_t φ(q_t))·(R_s φ(k_s)) v_s / (Σ_s φ(q_t)·φ(k_s) + 1e-6)        y = [o_1 … o_H] W_outᵀ + b
/// over s ≤ t, or over all s in an encoder. Katharopoulos et al. 2020, §3. Only the numerator is rotated, because a
/// denominator of rotated features may be zero: Su et al. 2021, §3.3. A causal layer keeps for later tokens
///   S_t = S_{t-1} + R_t φ(k_t)ᵀ v_t  (d_head, d_head)   and   z_t = z_{t-1} + φ(k_t)  (d_head).
template <typename T>
class LinearAttention final : public Layer<T> {
 public:
  /// Throws std::invalid_argument for a context without an encoding, and for heads that do not divide d_model or are
  /// not a multiple of n_kv_heads.
  LinearAttention(const LayerContext<T>& context, const NoOptions& options, const Scope& scope);

  Index input_width() const override { return shape_.d_model; }
  Index output_width() const override { return shape_.d_model; }
  Mixing mixing() const override { return shape_.causal ? Mixing::cached : Mixing::uncached; }
  Cost cost(Index seq_len) const override;
  View<const T> forward(View<const T> x, Pass<T>& pass) const override;
  View<const T> backward(View<const T> dy, Pass<T>& pass) const override;

 private:
  // One query head and the key head that it shares, for the tokens of one sequence: (seq_len, d_head) each.
  template <typename Element>
  struct Head {
    View<Element> query;  // φ(q)
    View<Element> key;    // φ(k)
    View<Element> turned_query;
    View<Element> turned_key;
    View<Element> value;

    Head rows(Index first, Index count) const {
      return {query.row_range(first, count), key.row_range(first, count),
              turned_query.row_range(first, count), turned_key.row_range(first, count),
              value.row_range(first, count)};
    }
  };
  struct Sums {
    View<T> products;  // S, or its gradient
    View<T> keys;      // z (1, d_head), or its gradient
  };
  // The gradients of a head's numerator and denominators.
  struct Upstream {
    View<const T> numerator;
    View<const T> denominator;  // (seq_len, 1)
  };

  Index d_head() const { return shape_.d_head(); }
  Index group() const { return shape_.heads / shape_.n_kv_heads; }
  Index key_width() const { return shape_.n_kv_heads * d_head(); }
  Index feature_width() const { return shape_.d_model + key_width(); }

  View<T> features_of(View<const T> qkv, Pass<T>& pass) const;
  View<T> turned(View<const T> features, Pass<T>& pass) const;
  template <typename Element>
  Head<Element> head_of(View<Element> features, View<Element> turned, View<Element> qkv, Index sequence,
                        Index index, const Pass<T>& pass) const;
  Sums zero_sums(Pass<T>& pass) const;
  void load(Index sequence, Index key_head, const Sums& sums, Pass<T>& pass) const;
  void keep(Index sequence, Index key_head, const Sums& sums, Pass<T>& pass) const;
  void read(const Head<const T>& head, const Sums& sums, View<T> out, View<T> totals, Pass<T>& pass) const;
  Upstream divide(View<const T> d_out, View<const T> out, View<const T> totals, Pass<T>& pass) const;
  void query_backward(const Head<const T>& head, const Upstream& d, const Head<T>& gradient,
                      Pass<T>& pass) const;
  void key_backward(const Head<const T>& head, const Upstream& d, const Head<T>& gradient,
                    Pass<T>& pass) const;

  ModelShape shape_;
  const PositionalEncoding<T>* encoding_;
  Linear<T> qkv_;
  Linear<T> output_;
  StateSlot state_;  // S of all key heads side by side, then a row with their z; only if causal
};

template <typename T>
const ModelShape& checked_shape(const LayerContext<T>& context) {
  const ModelShape& shape = context.shape;
  if (context.encoding == nullptr) {
    throw std::invalid_argument("LinearAttention: got no positional encoding, expected one (such as none)");
  }
  if (shape.d_model % shape.heads != 0 || shape.heads % shape.n_kv_heads != 0) {
    throw std::invalid_argument(fmt::format(
        "LinearAttention: got d_model {}, heads {}, n_kv_heads {}; expected each to be a multiple of "
        "the next",
        shape.d_model, shape.heads, shape.n_kv_heads));
  }
  return shape;
}

template <typename T>
LinearAttention<T>::LinearAttention(const LayerContext<T>& context, const NoOptions& /*options*/,
                                    const Scope& scope)
    : shape_(checked_shape(context)),
      encoding_(context.encoding),
      qkv_({shape_.d_model, shape_.d_model + 2 * key_width(), context.bias}, scope.nested("qkv")),
      output_({shape_.d_model, shape_.d_model, context.bias, context.output_scale}, scope.nested("output")) {
  if (shape_.causal) state_ = scope.add_state({.rows = d_head() + 1, .cols = key_width()});
}

// Products within a chunk, and with S; features, rotated features and o are kept in addition to the products.
template <typename T>
Cost LinearAttention<T>::cost(Index seq_len) const {
  const auto width = static_cast<double>(shape_.d_model);
  const auto others = static_cast<double>(d_head() + (shape_.causal ? std::min(seq_len, chunk_rows) : 0));
  return qkv_.cost(seq_len) + output_.cost(seq_len) +
         Cost{4.0 * others * width, width + 2.0 * static_cast<double>(feature_width())};
}

// φ of queries and keys, side by side.
template <typename T>
View<T> LinearAttention<T>::features_of(View<const T> qkv, Pass<T>& pass) const {
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

template <typename T>
View<T> LinearAttention<T>::turned(View<const T> features, Pass<T>& pass) const {
  const View<T> turned = pass.allocate(features.rows, features.cols);
  std::copy_n(features.data, features.size(), turned.data);
  const auto timer = pass.timed(Work::encoding);
  encoding_->encode_query_key(turned.col_range(0, shape_.d_model),
                              turned.col_range(shape_.d_model, key_width()), 0, pass);
  return turned;
}

template <typename T>
template <typename Element>
typename LinearAttention<T>::template Head<Element> LinearAttention<T>::head_of(View<Element> features,
                                                                                View<Element> turned,
                                                                                View<Element> qkv,
                                                                                Index sequence, Index index,
                                                                                const Pass<T>& pass) const {
  const auto columns = [&](View<Element> all, Index first) {
    return all.row_range(sequence * pass.seq_len(), pass.seq_len()).col_range(first, d_head());
  };
  const Index query = index * d_head();
  const Index key = shape_.d_model + index / group() * d_head();
  return {columns(features, query), columns(features, key), columns(turned, query), columns(turned, key),
          columns(qkv, key + key_width())};
}

template <typename T>
typename LinearAttention<T>::Sums LinearAttention<T>::zero_sums(Pass<T>& pass) const {
  const Sums sums{pass.allocate(d_head(), d_head()), pass.allocate(1, d_head())};
  std::fill_n(sums.products.data, sums.products.size(), T(0));
  std::fill_n(sums.keys.data, sums.keys.size(), T(0));
  return sums;
}

template <typename T>
void LinearAttention<T>::load(Index sequence, Index key_head, const Sums& sums, Pass<T>& pass) const {
  const View<const T> state =
      pass.run().cache->state(state_, sequence).col_range(key_head * d_head(), d_head());
  for (Index r = 0; r < d_head(); ++r) std::copy_n(state.row(r), d_head(), sums.products.row(r));
  std::copy_n(state.row(d_head()), d_head(), sums.keys.row(0));
}

template <typename T>
void LinearAttention<T>::keep(Index sequence, Index key_head, const Sums& sums, Pass<T>& pass) const {
  const View<T> state = pass.run().cache->state(state_, sequence).col_range(key_head * d_head(), d_head());
  for (Index r = 0; r < d_head(); ++r) std::copy_n(sums.products.row(r), d_head(), state.row(r));
  std::copy_n(sums.keys.row(0), d_head(), state.row(d_head()));
}

// Zero above the diagonal: a row of a causal chunk sees itself and earlier ones.
template <typename T>
void mask_later(View<T> products) {
  for (Index r = 0; r < products.rows; ++r) {
    std::fill(products.row(r) + r + 1, products.row(r) + products.cols, T(0));
  }
}

// sums += what the keys of the rows add.
template <typename T>
void add_keys(View<const T> turned_key, View<const T> value, View<T> products) {
  multiply_add<T>(transposed(turned_key), value, products);
}

// Writes o and the denominators. `sums` are those before the first row, and after the last one on return.
template <typename T>
void LinearAttention<T>::read(const Head<const T>& head, const Sums& sums, View<T> out, View<T> totals,
                              Pass<T>& pass) const {
  const bool causal = shape_.causal;
  const Index step = causal ? chunk_rows : out.rows;
  for (Index first = 0; first < out.rows; first += step) {
    const auto frame = pass.scratch_frame();
    const Index count = std::min(step, out.rows - first);
    const Head<const T> here = head.rows(first, count);
    const View<T> o = out.row_range(first, count);
    if (!causal) {
      add_keys(here.turned_key, here.value, sums.products);
      for (Index r = 0; r < count; ++r) vmath::add(sums.keys.data, here.key.row(r), sums.keys.data, d_head());
    }
    multiply<T>(here.turned_query, sums.products, o);
    if (causal) {
      const View<T> within = pass.allocate(count, count);
      multiply<T>(here.turned_query, transposed(here.turned_key), within);
      mask_later(within);
      multiply_add<T>(within, here.value, o);
      add_keys(here.turned_key, here.value, sums.products);
    }
    for (Index r = 0; r < count; ++r) {
      if (causal) vmath::add(sums.keys.data, here.key.row(r), sums.keys.data, d_head());
      const T total =
          vmath::dot(here.query.row(r), sums.keys.data, d_head()) + static_cast<T>(least_denominator);
      vmath::scale(T(1) / total, o.row(r), o.cols);
      totals(first + r, 0) = total;
    }
  }
}

template <typename T>
View<const T> LinearAttention<T>::forward(View<const T> x, Pass<T>& pass) const {
  this->check_width("LinearAttention", x);
  const auto timer = pass.timed(Work::attention);
  const View<T> qkv = pass.allocate(x.rows, qkv_.output_width());
  qkv_.forward_into(x, qkv, pass);
  const View<const T> features = features_of(qkv, pass);
  const View<const T> rotated = turned(features, pass);
  const View<T> out = pass.allocate(x.rows, shape_.d_model);
  const View<T> totals = pass.allocate(x.rows, shape_.heads);
  for (Index sequence = 0; sequence < pass.batch(); ++sequence) {
    const auto rows_of = [&](View<T> all) {
      return all.row_range(sequence * pass.seq_len(), pass.seq_len());
    };
    for (Index head = 0; head < shape_.heads; ++head) {
      const auto frame = pass.scratch_frame();
      const Sums sums = zero_sums(pass);
      if (pass.run().cache != nullptr) load(sequence, head / group(), sums, pass);
      read(head_of<const T>(features, rotated, qkv, sequence, head, pass), sums,
           rows_of(out).col_range(head * d_head(), d_head()), rows_of(totals).col_range(head, 1), pass);
      const bool last_of_group = head % group() == group() - 1;
      if (pass.run().cache != nullptr && last_of_group) keep(sequence, head / group(), sums, pass);
    }
  }
  for (const View<const T> saved :
       {View<const T>(qkv), features, rotated, View<const T>(totals), View<const T>(out)}) {
    pass.save("LinearAttention", saved);
  }
  return output_.forward(out, pass);
}

// o = n / t:   dn = do / t,   dt = -do·o / t.
template <typename T>
typename LinearAttention<T>::Upstream LinearAttention<T>::divide(View<const T> d_out, View<const T> out,
                                                                 View<const T> totals, Pass<T>& pass) const {
  const View<T> numerator = pass.allocate(d_out.rows, d_out.cols);
  const View<T> denominator = pass.allocate(d_out.rows, 1);
  for (Index r = 0; r < d_out.rows; ++r) {
    const T share = T(1) / totals(r, 0);
    for (Index c = 0; c < d_out.cols; ++c) numerator(r, c) = share * d_out(r, c);
    denominator(r, 0) = -share * vmath::dot(d_out.row(r), out.row(r), out.cols);
  }
  return {numerator, denominator};
}

// From the first token to the last, with the sums S and z of forward. With Q, K the rotated features of a chunk,
// A = Q Kᵀ below the diagonal and dA = dn Vᵀ there:
//   n = A V + Q S   dQ = dA K + dn Sᵀ,   dK += dAᵀ Q,   dV += Aᵀ dn        t_r = φ(q_r)·z_r   dφ(q_r) = dt_r z_r.
template <typename T>
void LinearAttention<T>::query_backward(const Head<const T>& head, const Upstream& d, const Head<T>& gradient,
                                        Pass<T>& pass) const {
  const auto head_frame = pass.scratch_frame();
  const Sums sums = zero_sums(pass);
  if (!shape_.causal) {
    add_keys(head.turned_key, head.value, sums.products);
    for (Index r = 0; r < head.key.rows; ++r) {
      vmath::add(sums.keys.data, head.key.row(r), sums.keys.data, d_head());
    }
    multiply_add<T>(d.numerator, transposed(sums.products), gradient.turned_query);
    for (Index r = 0; r < head.key.rows; ++r) {
      vmath::add_scaled(d.denominator(r, 0), sums.keys.data, gradient.query.row(r), d_head());
    }
    return;
  }
  for (Index first = 0; first < head.query.rows; first += chunk_rows) {
    const auto frame = pass.scratch_frame();
    const Index count = std::min(chunk_rows, head.query.rows - first);
    const Head<const T> here = head.rows(first, count);
    const Head<T> to = gradient.rows(first, count);
    const View<const T> dn = d.numerator.row_range(first, count);
    const View<T> products = pass.allocate(count, count);
    const View<T> d_products = pass.allocate(count, count);
    multiply<T>(here.turned_query, transposed(here.turned_key), products);
    multiply<T>(dn, transposed(here.value), d_products);
    mask_later(products);
    mask_later(d_products);
    multiply_add<T>(d_products, here.turned_key, to.turned_query);
    multiply_add<T>(dn, transposed(sums.products), to.turned_query);
    multiply_add<T>(transposed(d_products), here.turned_query, to.turned_key);
    multiply_add<T>(transposed(products), dn, to.value);
    add_keys(here.turned_key, here.value, sums.products);
    for (Index r = 0; r < count; ++r) {
      vmath::add(sums.keys.data, here.key.row(r), sums.keys.data, d_head());
      vmath::add_scaled(d.denominator(first + r, 0), sums.keys.data, to.query.row(r), d_head());
    }
  }
}

// From the last token to the first, with the gradients dS = Σ Qᵀ dn of later chunks and dz = Σ dt_r φ(q_r) of this
// token and later ones (of all in an encoder):   dK += V dSᵀ,   dV += K dS,   dφ(k_r) += dz.
template <typename T>
void LinearAttention<T>::key_backward(const Head<const T>& head, const Upstream& d, const Head<T>& gradient,
                                      Pass<T>& pass) const {
  const auto frame = pass.scratch_frame();
  const Sums d_sums = zero_sums(pass);
  const Index rows = head.query.rows;
  const Index step = shape_.causal ? chunk_rows : rows;
  if (!shape_.causal) {
    add_keys(head.turned_query, d.numerator, d_sums.products);
    for (Index r = 0; r < rows; ++r) {
      vmath::add_scaled(d.denominator(r, 0), head.query.row(r), d_sums.keys.data, d_head());
    }
  }
  for (Index first = (rows - 1) / step * step; first >= 0; first -= step) {
    const Index count = std::min(step, rows - first);
    const Head<const T> here = head.rows(first, count);
    const Head<T> to = gradient.rows(first, count);
    multiply_add<T>(here.value, transposed(d_sums.products), to.turned_key);
    multiply_add<T>(here.turned_key, d_sums.products, to.value);
    if (shape_.causal) add_keys(here.turned_query, d.numerator.row_range(first, count), d_sums.products);
    for (Index r = count - 1; r >= 0; --r) {
      if (shape_.causal) {
        vmath::add_scaled(d.denominator(first + r, 0), here.query.row(r), d_sums.keys.data, d_head());
      }
      vmath::add(to.key.row(r), d_sums.keys.data, to.key.row(r), d_head());
    }
  }
}

// dφ is the sum of what comes through denominators and, turned back, through numerators, and φ'(x) = min(φ(x), 1).
template <typename T>
View<const T> LinearAttention<T>::backward(View<const T> dy, Pass<T>& pass) const {
  const auto timer = pass.timed(Work::attention);
  const View<const T> d_out = output_.backward(dy, pass);
  const View<const T> out = pass.restore("LinearAttention");
  const View<const T> totals = pass.restore("LinearAttention");
  const View<const T> rotated = pass.restore("LinearAttention");
  const View<const T> features = pass.restore("LinearAttention");
  const View<const T> qkv = pass.restore("LinearAttention");
  const View<T> d_qkv = pass.allocate(qkv.rows, qkv.cols);
  const View<T> d_features = pass.allocate(features.rows, features.cols);
  const View<T> d_turned = pass.allocate(features.rows, features.cols);
  for (const View<T> zeros : {d_qkv, d_features, d_turned}) std::fill_n(zeros.data, zeros.size(), T(0));
  for (Index sequence = 0; sequence < pass.batch(); ++sequence) {
    const auto rows_of = [&](View<const T> all) {
      return all.row_range(sequence * pass.seq_len(), pass.seq_len());
    };
    for (Index index = 0; index < shape_.heads; ++index) {
      const auto frame = pass.scratch_frame();
      const Index column = index * d_head();
      const Head<const T> head = head_of<const T>(features, rotated, qkv, sequence, index, pass);
      const Head<T> gradient = head_of<T>(d_features, d_turned, d_qkv, sequence, index, pass);
      const Upstream d =
          divide(rows_of(d_out).col_range(column, d_head()), rows_of(out).col_range(column, d_head()),
                 rows_of(totals).col_range(index, 1), pass);
      query_backward(head, d, gradient, pass);
      key_backward(head, d, gradient, pass);
    }
  }
  encoding_->encode_query_key_backward(d_turned.col_range(0, shape_.d_model),
                                       d_turned.col_range(shape_.d_model, key_width()), 0, pass);
  for (Index r = 0; r < features.rows; ++r) {
    for (Index c = 0; c < features.cols; ++c) {
      d_qkv(r, c) = std::min(features(r, c), T(1)) * (d_features(r, c) + d_turned(r, c));
    }
  }
  return qkv_.backward(d_qkv, pass);
}

}  // namespace

LayerEntry linear_attention_layer() {
  return describe_layer<LinearAttention>(
      {.name = "linear_attention",
       .kind = LayerKind::branch,
       .summary = "attention by sums of φ(q)·φ(k) v, φ = elu + 1, without a softmax; rope and xpos turn the "
                  "numerator; Katharopoulos et al. 2020, Su et al. 2021, §3.3",
       .only_rotates = true});
}

}  // namespace ordinal

// Linear attention for one head of one sequence: sums of products of features, in chunks of tokens. The projections,
// the features and their encoding are in linear_attention.cpp.
#pragma once

#include <algorithm>

#include "framework/core/pass.h"
#include "framework/math/blas.h"
#include "framework/math/vector_math.h"

namespace ordinal {

/// With features φ(q_t) and φ(k_s), the features q'_t and k'_s as rotated by the encoding, and values v_s:
///   o_t = Σ_s (q'_t·k'_s) v_s / (Σ_s φ(q_t)·φ(k_s) + 1e-6)
/// over s ≤ t, or over all s in an encoder. S = Σ k'_sᵀ v_s and z = Σ φ(k_s) summarise all tokens read so far.
template <typename T>
class LinearHeadAttention {
 public:
  /// Tokens per chunk: sums within a chunk are matrix products.
  static constexpr Index chunk_rows = 64;

  /// A query head and the key/value head that it uses, (seq_len, d_head) each; or their gradients.
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
    View<T> all;
    View<T> products = all.row_range(0, all.cols);  // S (d_head, d_head)
    View<T> keys = all.row_range(all.cols, 1);      // z (1, d_head)
  };

  explicit LinearHeadAttention(bool causal) : causal_(causal) {}

  static Sums zero_sums(Index d_head, Pass<T>& pass) { return {pass.zeros(d_head + 1, d_head)}; }

  /// The most numbers that forward with its sums, and backward hold for each token of a sequence of this length.
  double held_by_forward(Index seq_len, Index d_head) const { return held(seq_len, d_head, 1); }
  double held_by_backward(Index seq_len, Index d_head) const {
    return static_cast<double>(d_head + 1) + held(seq_len, d_head, 2);
  }

  /// Writes o to `out` (seq_len, d_head) and the denominators to `totals` (seq_len, 1). On entry `sums` covers the
  /// tokens before the first one; on return it also covers these.
  void forward(const Head<const T>& head, const Sums& sums, View<T> out, View<T> totals,
               Pass<T>& pass) const {
    const Index d_head = head.query.cols;
    const Index step = causal_ ? chunk_rows : out.rows;
    if (!causal_) add_all(head, sums);
    for (Index first = 0; first < out.rows; first += step) {
      const auto frame = pass.scratch_frame();
      const Index count = std::min(step, out.rows - first);
      const Head<const T> here = head.rows(first, count);
      const View<T> o = out.row_range(first, count);
      multiply<T>(here.turned_query, sums.products, o);
      if (causal_) {
        const View<T> within = pass.allocate(count, count);
        multiply<T>(here.turned_query, transposed(here.turned_key), within);
        mask_later(within);
        multiply_add<T>(within, here.value, o);
        multiply_add<T>(transposed(here.turned_key), here.value, sums.products);
      }
      for (Index r = 0; r < count; ++r) {
        if (causal_) vmath::add(sums.keys.data, here.key.row(r), sums.keys.data, d_head);
        const T total = vmath::dot(here.query.row(r), sums.keys.data, d_head) + least_denominator;
        vmath::scale(T(1) / total, o.row(r), o.cols);
        totals(first + r, 0) = total;
      }
    }
  }

  /// Adds to `gradient`. `out` and `totals` are from a forward run without earlier tokens; d_out is the gradient of o.
  void backward(const Head<const T>& head, View<const T> d_out, View<const T> out, View<const T> totals,
                const Head<T>& gradient, Pass<T>& pass) const {
    const auto frame = pass.scratch_frame();
    const Upstream d = divide(d_out, out, totals, pass);
    query_backward(head, d, gradient, pass);
    key_backward(head, d, gradient, pass);
  }

 private:
  /// Added to denominators, as in the code of Katharopoulos et al.
  static constexpr T least_denominator = T(1e-6);

  // Sums, and products of the tokens of a chunk.
  double held(Index seq_len, Index d_head, Index products) const {
    const Index chunk = causal_ ? std::min(chunk_rows, seq_len) : 0;
    return static_cast<double>((d_head + 1) * d_head + products * chunk * chunk) /
           static_cast<double>(seq_len);
  }

  // S and z of all tokens.
  static void add_all(const Head<const T>& head, const Sums& sums) {
    multiply_add<T>(transposed(head.turned_key), head.value, sums.products);
    for (Index r = 0; r < head.key.rows; ++r)
      vmath::add(sums.keys.data, head.key.row(r), sums.keys.data, head.key.cols);
  }

  // Writes zeros above the diagonal: a row of a causal chunk sees only itself and earlier rows.
  static void mask_later(View<T> products) {
    for (Index r = 0; r < products.rows; ++r) {
      std::fill(products.row(r) + r + 1, products.row(r) + products.cols, T(0));
    }
  }

  // The gradients of numerators n and denominators t.
  struct Upstream {
    View<const T> numerator;
    View<const T> denominator;  // (seq_len, 1)
  };

  // o = n / t:   dn = do / t,   dt = -do·o / t.
  Upstream divide(View<const T> d_out, View<const T> out, View<const T> totals, Pass<T>& pass) const {
    const View<T> numerator = pass.allocate(d_out.rows, d_out.cols);
    const View<T> denominator = pass.allocate(d_out.rows, 1);
    for (Index r = 0; r < d_out.rows; ++r) {
      const T share = T(1) / totals(r, 0);
      for (Index c = 0; c < d_out.cols; ++c) numerator(r, c) = share * d_out(r, c);
      denominator(r, 0) = -share * vmath::dot(d_out.row(r), out.row(r), out.cols);
    }
    return {numerator, denominator};
  }

  // From the first token to the last, with the sums S and z of forward. Q and K are the rotated features of a chunk,
  // A = Q Kᵀ up to the diagonal, and dA = dn Vᵀ there:
  //   n = A V + Q S   dQ = dA K + dn Sᵀ,   dK += dAᵀ Q,   dV += Aᵀ dn        t_r = φ(q_r)·z_r   dφ(q_r) = dt_r z_r.
  void query_backward(const Head<const T>& head, const Upstream& d, const Head<T>& gradient,
                      Pass<T>& pass) const {
    const auto head_frame = pass.scratch_frame();
    const Index d_head = head.query.cols;
    const Sums sums = zero_sums(d_head, pass);
    const Index step = causal_ ? chunk_rows : head.query.rows;
    if (!causal_) add_all(head, sums);
    for (Index first = 0; first < head.query.rows; first += step) {
      const auto frame = pass.scratch_frame();
      const Index count = std::min(step, head.query.rows - first);
      const Head<const T> here = head.rows(first, count);
      const Head<T> to = gradient.rows(first, count);
      const View<const T> dn = d.numerator.row_range(first, count);
      if (causal_) {
        const View<T> products = pass.allocate(count, count);
        const View<T> d_products = pass.allocate(count, count);
        multiply<T>(here.turned_query, transposed(here.turned_key), products);
        multiply<T>(dn, transposed(here.value), d_products);
        mask_later(products);
        mask_later(d_products);
        multiply_add<T>(d_products, here.turned_key, to.turned_query);
        multiply_add<T>(transposed(d_products), here.turned_query, to.turned_key);
        multiply_add<T>(transposed(products), dn, to.value);
      }
      multiply_add<T>(dn, transposed(sums.products), to.turned_query);
      if (causal_) multiply_add<T>(transposed(here.turned_key), here.value, sums.products);
      for (Index r = 0; r < count; ++r) {
        if (causal_) vmath::add(sums.keys.data, here.key.row(r), sums.keys.data, d_head);
        vmath::add_scaled(d.denominator(first + r, 0), sums.keys.data, to.query.row(r), d_head);
      }
    }
  }

  // From the last token to the first, with the gradients dS = Σ Qᵀ dn over later chunks and dz = Σ dt_r φ(q_r) over
  // this token and later ones (over all in an encoder):   dK += V dSᵀ,   dV += K dS,   dφ(k_r) += dz.
  void key_backward(const Head<const T>& head, const Upstream& d, const Head<T>& gradient,
                    Pass<T>& pass) const {
    const auto frame = pass.scratch_frame();
    const Index d_head = head.query.cols;
    const Sums d_sums = zero_sums(d_head, pass);
    const Index rows = head.query.rows;
    const Index step = causal_ ? chunk_rows : rows;
    if (!causal_) {
      multiply_add<T>(transposed(head.turned_query), d.numerator, d_sums.products);
      for (Index r = 0; r < rows; ++r) {
        vmath::add_scaled(d.denominator(r, 0), head.query.row(r), d_sums.keys.data, d_head);
      }
    }
    for (Index first = (rows - 1) / step * step; first >= 0; first -= step) {
      const Index count = std::min(step, rows - first);
      const Head<const T> here = head.rows(first, count);
      const Head<T> to = gradient.rows(first, count);
      multiply_add<T>(here.value, transposed(d_sums.products), to.turned_key);
      multiply_add<T>(here.turned_key, d_sums.products, to.value);
      if (causal_)
        multiply_add<T>(transposed(here.turned_query), d.numerator.row_range(first, count), d_sums.products);
      for (Index r = count - 1; r >= 0; --r) {
        if (causal_) {
          vmath::add_scaled(d.denominator(first + r, 0), here.query.row(r), d_sums.keys.data, d_head);
        }
        vmath::add(to.key.row(r), d_sums.keys.data, to.key.row(r), d_head);
      }
    }
  }

  bool causal_;
};

}  // namespace ordinal

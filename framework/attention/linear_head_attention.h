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
  };

  struct Sums {
    View<T> all;
    View<T> products = all.row_range(0, all.cols);  // S (d_head, d_head)
    View<T> keys = all.row_range(all.cols, 1);      // z (1, d_head)
  };

  explicit LinearHeadAttention(bool causal) : causal_(causal) {}

  static Sums zero_sums(Index d_head, Pass<T>& pass) { return {pass.zeros(d_head + 1, d_head)}; }

  /// Adds o to `out` (seq_len, d_head), zero on entry, and writes the denominators to `totals` (seq_len, 1). On entry `sums`
  /// covers the tokens before the first one; on return it also covers these.
  void forward(const Head<const T>& head, const Sums& sums, View<T> out, View<T> totals,
               Pass<T>& pass) const {
    add_products(head.turned_query, head.turned_key, head.value, Over::earlier, sums.products, out, pass);
    const auto one = [](Index /*r*/) { return T(1); };
    for_each_sum(head.key, one, Over::earlier, sums.keys, [&](Index r) {
      totals(r, 0) = vmath::dot(head.query.row(r), sums.keys.data, sums.keys.cols) + least_denominator;
      vmath::scale(T(1) / totals(r, 0), out.row(r), out.cols);
    });
  }

  /// Adds to `gradient`. `out` and `totals` are from a forward run without earlier tokens; d_out is the gradient of o.
  // With numerators n and denominators m, o = n / m:    dn = do / m,   dm = -do·o / m,
  //   dq'_t = Σ_s (dn_t·v_s) k'_s      dk'_s = Σ_t (v_s·dn_t) q'_t      dv_s = Σ_t (k'_s·q'_t) dn_t
  //   dφ(q_t) = dm_t z_t               dφ(k_s) = Σ_t dm_t φ(q_t)
  void backward(const Head<const T>& head, View<const T> d_out, View<const T> out, View<const T> totals,
                const Head<T>& gradient, Pass<T>& pass) const {
    const auto frame = pass.scratch_frame();
    const View<T> dn = pass.allocate(d_out.rows, d_out.cols);
    const View<T> dm = pass.allocate(d_out.rows, 1);
    for (Index r = 0; r < d_out.rows; ++r) {
      const T share = T(1) / totals(r, 0);
      for (Index c = 0; c < d_out.cols; ++c) dn(r, c) = share * d_out(r, c);
      dm(r, 0) = -share * vmath::dot(d_out.row(r), out.row(r), out.cols);
    }
    const Sums sums = zero_sums(d_out.cols, pass);
    const auto reset = [&] { std::fill_n(sums.all.data, sums.all.size(), T(0)); };
    add_products(dn, head.value, head.turned_key, Over::earlier, sums.products, gradient.turned_query, pass);
    const auto one = [](Index /*r*/) { return T(1); };
    for_each_sum(head.key, one, Over::earlier, sums.keys, [&](Index r) {
      vmath::add_scaled(dm(r, 0), sums.keys.data, gradient.query.row(r), sums.keys.cols);
    });
    reset();
    add_products(head.value, dn, head.turned_query, Over::later, sums.products, gradient.turned_key, pass);
    const auto share = [&](Index r) { return dm(r, 0); };
    for_each_sum(head.query, share, Over::later, sums.keys, [&](Index r) {
      vmath::add(gradient.key.row(r), sums.keys.data, gradient.key.row(r), sums.keys.cols);
    });
    reset();
    add_products(head.turned_key, head.turned_query, dn, Over::later, sums.products, gradient.value, pass);
  }

 private:
  /// Added to denominators, as in the code of Katharopoulos et al.
  static constexpr T least_denominator = T(1e-6);

  /// The tokens over which a sum for token i runs: i and those before it, or i and those after it. In an encoder: all.
  enum class Over { earlier, later };

  // out_i += a_i S + Σ_j (a_i·b_j) c_j. Then S also covers the tokens j: S += Σ_j b_jᵀ c_j.
  void add_products(View<const T> a, View<const T> b, View<const T> c, Over over, View<T> sums, View<T> out,
                    Pass<T>& pass) const {
    if (!causal_) {
      multiply_add<T>(transposed(b), c, sums);
      return multiply_add<T>(a, sums, out);
    }
    const bool later = over == Over::later;
    const Index chunks = (out.rows + chunk_rows - 1) / chunk_rows;
    for (Index n = 0; n < chunks; ++n) {
      const auto frame = pass.scratch_frame();
      const Index first = (later ? chunks - 1 - n : n) * chunk_rows;
      const Index count = std::min(chunk_rows, out.rows - first);
      const View<const T> own = a.row_range(first, count);
      const View<const T> others = b.row_range(first, count);
      const View<const T> values = c.row_range(first, count);
      const View<T> to = out.row_range(first, count);
      multiply_add<T>(own, sums, to);
      const View<T> pairs = pass.allocate(count, count);  // row: the later token of a pair
      multiply<T>(later ? others : own, transposed(later ? own : others), pairs, T(1), T(0),
                  {Triangle::Of::result});
      for (Index r = 0; r < count; ++r) std::fill(pairs.row(r) + r + 1, pairs.row(r) + count, T(0));
      multiply<T>(Factor<T>(pairs, later), values, to, T(1), T(1), {Triangle::Of::left});
      multiply_add<T>(transposed(others), values, sums);
    }
  }

  // Calls visit(i) when `sum` has grown by Σ_j share(j) x_j.
  template <typename Share, typename Visit>
  void for_each_sum(View<const T> x, const Share& share, Over over, View<T> sum, const Visit& visit) const {
    const auto add = [&](Index r) { vmath::add_scaled(share(r), x.row(r), sum.data, x.cols); };
    for (Index r = 0; r < x.rows && !causal_; ++r) add(r);
    for (Index n = 0; n < x.rows; ++n) {
      const Index r = over == Over::later ? x.rows - 1 - n : n;
      if (causal_) add(r);
      visit(r);
    }
  }

  bool causal_;
};

}  // namespace ordinal

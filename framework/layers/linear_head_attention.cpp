#include "framework/layers/linear_head_attention.h"

#include <algorithm>

#include "framework/core/blas.h"
#include "framework/core/vector_math.h"

namespace ordinal {
namespace {

/// Added to denominators, as in the code of Katharopoulos et al.
constexpr double least_denominator = 1e-6;

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

}  // namespace

template <typename T>
typename LinearHeadAttention<T>::Sums LinearHeadAttention<T>::zero_sums(Index d_head, Pass<T>& pass) {
  const Sums sums{pass.allocate(d_head, d_head), pass.allocate(1, d_head)};
  std::fill_n(sums.products.data, sums.products.size(), T(0));
  std::fill_n(sums.keys.data, sums.keys.size(), T(0));
  return sums;
}

template <typename T>
void LinearHeadAttention<T>::forward(const Head<const T>& head, const Sums& sums, View<T> out, View<T> totals,
                                     Pass<T>& pass) const {
  const Index d_head = head.query.cols;
  const Index step = causal_ ? chunk_rows : out.rows;
  for (Index first = 0; first < out.rows; first += step) {
    const auto frame = pass.scratch_frame();
    const Index count = std::min(step, out.rows - first);
    const Head<const T> here = head.rows(first, count);
    const View<T> o = out.row_range(first, count);
    if (!causal_) {
      add_keys(here.turned_key, here.value, sums.products);
      for (Index r = 0; r < count; ++r) vmath::add(sums.keys.data, here.key.row(r), sums.keys.data, d_head);
    }
    multiply<T>(here.turned_query, sums.products, o);
    if (causal_) {
      const View<T> within = pass.allocate(count, count);
      multiply<T>(here.turned_query, transposed(here.turned_key), within);
      mask_later(within);
      multiply_add<T>(within, here.value, o);
      add_keys(here.turned_key, here.value, sums.products);
    }
    for (Index r = 0; r < count; ++r) {
      if (causal_) vmath::add(sums.keys.data, here.key.row(r), sums.keys.data, d_head);
      const T total =
          vmath::dot(here.query.row(r), sums.keys.data, d_head) + static_cast<T>(least_denominator);
      vmath::scale(T(1) / total, o.row(r), o.cols);
      totals(first + r, 0) = total;
    }
  }
}

// o = n / t:   dn = do / t,   dt = -do·o / t.
template <typename T>
typename LinearHeadAttention<T>::Upstream LinearHeadAttention<T>::divide(View<const T> d_out,
                                                                         View<const T> out,
                                                                         View<const T> totals,
                                                                         Pass<T>& pass) const {
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
void LinearHeadAttention<T>::query_backward(const Head<const T>& head, const Upstream& d,
                                            const Head<T>& gradient, Pass<T>& pass) const {
  const auto head_frame = pass.scratch_frame();
  const Index d_head = head.query.cols;
  const Sums sums = zero_sums(d_head, pass);
  if (!causal_) {
    add_keys(head.turned_key, head.value, sums.products);
    for (Index r = 0; r < head.key.rows; ++r) {
      vmath::add(sums.keys.data, head.key.row(r), sums.keys.data, d_head);
    }
    multiply_add<T>(d.numerator, transposed(sums.products), gradient.turned_query);
    for (Index r = 0; r < head.key.rows; ++r) {
      vmath::add_scaled(d.denominator(r, 0), sums.keys.data, gradient.query.row(r), d_head);
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
      vmath::add(sums.keys.data, here.key.row(r), sums.keys.data, d_head);
      vmath::add_scaled(d.denominator(first + r, 0), sums.keys.data, to.query.row(r), d_head);
    }
  }
}

// From the last token to the first, with the gradients dS = Σ Qᵀ dn of later chunks and dz = Σ dt_r φ(q_r) of this
// token and later ones (of all in an encoder):   dK += V dSᵀ,   dV += K dS,   dφ(k_r) += dz.
template <typename T>
void LinearHeadAttention<T>::key_backward(const Head<const T>& head, const Upstream& d,
                                          const Head<T>& gradient, Pass<T>& pass) const {
  const auto frame = pass.scratch_frame();
  const Index d_head = head.query.cols;
  const Sums d_sums = zero_sums(d_head, pass);
  const Index rows = head.query.rows;
  const Index step = causal_ ? chunk_rows : rows;
  if (!causal_) {
    add_keys(head.turned_query, d.numerator, d_sums.products);
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
    if (causal_) add_keys(here.turned_query, d.numerator.row_range(first, count), d_sums.products);
    for (Index r = count - 1; r >= 0; --r) {
      if (causal_) {
        vmath::add_scaled(d.denominator(first + r, 0), here.query.row(r), d_sums.keys.data, d_head);
      }
      vmath::add(to.key.row(r), d_sums.keys.data, to.key.row(r), d_head);
    }
  }
}

template <typename T>
void LinearHeadAttention<T>::backward(const Head<const T>& head, View<const T> d_out, View<const T> out,
                                      View<const T> totals, const Head<T>& gradient, Pass<T>& pass) const {
  const auto frame = pass.scratch_frame();
  const Upstream d = divide(d_out, out, totals, pass);
  query_backward(head, d, gradient, pass);
  key_backward(head, d, gradient, pass);
}

ORDINAL_INSTANTIATE(LinearHeadAttention);

}  // namespace ordinal

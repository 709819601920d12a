#include "framework/layers/head_attention.h"

#include <algorithm>
#include <cmath>

#include "framework/core/blas.h"
#include "framework/core/vector_math.h"

namespace ordinal {
namespace {

// mᵀ as the right factor of products with blocks of queries: a copy, because small products with rows are
// faster by more than the copy costs, unless there are only a few queries.
template <typename T>
Factor<T> right_factor(View<const T> m, Index queries, Pass<T>& pass) {
  if (queries < 8) return transposed(m);
  const View<T> copy = pass.allocate(m.cols, m.rows);
  transpose<T>(m, copy);
  return copy;
}

}  // namespace

// With a window, keys that no query of the block sees are left out.
template <typename T>
ScoreBlock<T> HeadAttention<T>::block_at(const Head& head, Index first, const Pass<T>& pass) const {
  const Index rows = std::min(options_.block_rows, head.query.rows - first);
  const Sight sight{options_.causal, pass.run().attention.window};
  const Index first_key = sight.of(head.past + first, head.key.rows).first;
  const Index last = sight.of(head.past + first + rows - 1, head.key.rows).end;
  const auto keys = static_cast<std::size_t>(last - first_key);
  return {.layer = options_.layer,
          .head = head.index,
          .sequence = head.sequence,
          .first_key = first_key,
          .first_query = head.past + first - first_key,
          .sight = sight,
          .scale = T(1) / std::sqrt(static_cast<T>(head.query.cols)),
          .query = head.query.row_range(first, rows),
          .key = head.key.row_range(first_key, last - first_key),
          .query_positions =
              head.query_positions.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(rows)),
          .key_positions = head.key_positions.subspan(static_cast<std::size_t>(first_key), keys)};
}

template <typename T>
void HeadAttention<T>::scores_of(const ScoreBlock<T>& block, const Factor<T>& keys, View<T> scores,
                                 Pass<T>& pass) const {
  multiply<T>(block.query, keys.col_range(block.first_key, block.key.rows), scores, block.scale);
  {
    const auto timer = pass.timed(Work::encoding);
    encoding_.encode_scores(block, scores, pass);
  }
  const double log_n_length = pass.run().attention.log_n_length;
  for (Index r = 0; r < scores.rows; ++r) {
    const KeyRange seen = block.seen(r);
    if (log_n_length > 0.0) {
      const double factor = std::log(static_cast<double>(seen.count())) / std::log(log_n_length);
      if (factor > 1.0) vmath::scale(static_cast<T>(factor), scores.row(r), seen.end);
    }
    std::fill_n(scores.row(r), seen.first, masked_score<T>);
  }
}

// out = w v (+ the encoding's term).
template <typename T>
void HeadAttention<T>::mix(const ScoreBlock<T>& block, View<const T> weights, View<const T> value,
                           View<T> out, Pass<T>& pass) const {
  multiply<T>(weights, value, out);
  const auto timer = pass.timed(Work::encoding);
  encoding_.encode_values(block, weights, out, pass);
}

// Calls visit(first row, block, weights as AttentionWeights::forward leaves them) for each block of queries. The weights stay
// in `kept`, unless it is empty.
template <typename T>
template <typename Visit>
void HeadAttention<T>::for_each_block(const Head& head, View<T> sums, View<T> kept, Pass<T>& pass,
                                      const Visit& visit) const {
  const auto head_frame = pass.scratch_frame();
  const Factor<T> keys = right_factor(head.key, head.query.rows, pass);
  for (Index first = 0; first < head.query.rows; first += options_.block_rows) {
    pass.check_stopped();
    const auto block_frame = pass.scratch_frame();
    const ScoreBlock<T> block = block_at(head, first, pass);
    const View<T> scores = kept.rows > 0
                               ? kept.row_range(first, block.query.rows).col_range(0, block.key.rows)
                               : pass.allocate(block.query.rows, block.key.rows);
    scores_of(block, keys, scores, pass);
    weights_.forward(block, scores, sums.row_range(first, scores.rows));
    visit(first, block, View<const T>(scores));
  }
}

template <typename T>
void HeadAttention<T>::forward(const Head& head, View<T> out, View<T> sums, View<T> kept,
                               Pass<T>& pass) const {
  for_each_block(head, sums, kept, pass, [&](Index first, const ScoreBlock<T>& block, View<const T> weights) {
    mix(block, weights, head.value.row_range(block.first_key, weights.cols),
        out.row_range(first, weights.rows), pass);
    for (Index r = first; r < first + weights.rows; ++r)
      vmath::scale(T(1) / sums(r, 1), out.row(r), out.cols);
  });
}

// do of a block divided by the sums of its rows: its products with what forward leaves are those of do with P.
template <typename T>
View<const T> HeadAttention<T>::shares_of(const Gradients& gradients, Index first, Index rows,
                                          Pass<T>& pass) const {
  const View<T> shares = pass.allocate(rows, gradients.d_out.cols);
  for (Index r = 0; r < rows; ++r) {
    const T share = T(1) / gradients.sums(first + r, 1);
    const T* d_out = gradients.d_out.row(first + r);
#pragma omp simd
    for (Index c = 0; c < shares.cols; ++c) shares(r, c) = share * d_out[c];
  }
  return shares;
}

// The weights of a block as forward left them: kept, or computed again. And dS in place of the products of δ with v.
template <typename T>
View<const T> HeadAttention<T>::weights_backward(const ScoreBlock<T>& block, const Factor<T>& keys,
                                                 const Gradients& gradients, Index first, View<const T> d_out,
                                                 View<T> d_scores, Pass<T>& pass) const {
  const Index rows = d_scores.rows;
  const typename AttentionWeights<T>::Gradient of_block{
      gradients.sums.row_range(first, rows), gradients.out.row_range(first, rows), d_out, d_scores};
  if (gradients.kept.rows > 0) {
    const View<const T> weights = gradients.kept.row_range(first, rows).col_range(0, d_scores.cols);
    weights_.backward_of_kept(block, weights, of_block);
    return weights;
  }
  const View<T> scores = pass.allocate(rows, d_scores.cols);
  scores_of(block, keys, scores, pass);
  weights_.backward(block, scores, of_block, pass);
  return scores;
}

// For each row i of a block, with P = E/Σ E, where forward leaves E, and δ = do/Σ E:
//   o = P v            dV += Pᵀ do = Eᵀ δ        dP = do Vᵀ        (+ the encoding's share)
//   P(S)               dS: see AttentionWeights
//   S = q kᵀ scale     dq = scale · dS k        dk += scale · dSᵀ q        (+ the encoding's share)
// Blocks go from the last to the first, because the last one sees all keys: its products write dk and dv
// where later ones add.
template <typename T>
void HeadAttention<T>::backward(const Head& head, const Gradients& gradients, Pass<T>& pass) const {
  T keep = gradients.first_of_group ? T(0) : T(1);
  const auto head_frame = pass.scratch_frame();
  const bool recomputes = gradients.kept.rows == 0;
  const Factor<T> keys = recomputes ? right_factor(head.key, head.query.rows, pass) : Factor<T>(head.key);
  const Factor<T> values = right_factor(head.value, head.query.rows, pass);
  const Index last_block = (head.query.rows - 1) / options_.block_rows;
  for (Index first = last_block * options_.block_rows; first >= 0; first -= options_.block_rows) {
    const auto block_frame = pass.scratch_frame();
    const ScoreBlock<T> block = block_at(head, first, pass);
    const Index rows = block.query.rows;
    const Index seen = block.key.rows;
    const View<const T> d_out = shares_of(gradients, first, rows, pass);
    const View<T> d_scores = pass.allocate(rows, seen);
    multiply<T>(d_out, values.col_range(0, seen), d_scores);
    {
      const auto timer = pass.timed(Work::encoding);
      encoding_.encode_values_backward(block, d_out, d_scores, pass);
    }
    const View<const T> weights = weights_backward(block, keys, gradients, first, d_out, d_scores, pass);
    const View<T> d_query = gradients.d_query.row_range(first, rows);
    const View<T> d_key = gradients.d_key.row_range(0, seen);
    multiply<T>(transposed(weights), d_out, gradients.d_value.row_range(0, seen), T(1), keep);
    multiply<T>(d_scores, block.key, d_query, block.scale);
    multiply<T>(transposed(d_scores), block.query, d_key, block.scale, keep);
    keep = T(1);
    const auto timer = pass.timed(Work::encoding);
    encoding_.learn_values(block, weights, d_out, pass);
    encoding_.encode_scores_backward(block, {d_scores, d_query, d_key}, pass);
  }
}

template <typename T>
Tensor<T> HeadAttention<T>::probabilities(const Head& head, Pass<T>& pass) const {
  const auto frame = pass.scratch_frame();
  const View<T> sums = pass.allocate(head.query.rows, 2);
  Tensor<T> probabilities({head.query.rows, head.key.rows});
  for_each_block(head, sums, {}, pass, [&](Index first, const ScoreBlock<T>& block, View<const T> weights) {
    for (Index r = 0; r < weights.rows; ++r) {
      T* row = probabilities.view().row(first + r) + block.first_key;
      std::copy_n(weights.row(r), block.visible(r), row);
      vmath::scale(T(1) / sums(first + r, 1), row, block.visible(r));
    }
  });
  return probabilities;
}

ORDINAL_INSTANTIATE(HeadAttention);

}  // namespace ordinal

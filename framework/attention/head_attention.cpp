#include "framework/attention/head_attention.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "framework/math/vector_math.h"

namespace ordinal {

namespace {

constexpr Index one_block = 64;  // products copy their right factor, so one copy for several pays off

// The transpose of keys or values, for all heads that share them. It is a copy, which saves more time in small products than it
// costs. With only a few queries, nothing is copied.
template <typename T>
Factor<T> right_factor(View<const T> m, Index queries, Pass<T>& pass) {
  if (queries <= one_block) return transposed(m);
  const View<T> copy = pass.allocate(m.cols, m.rows);
  transpose<T>(m, copy);
  return copy;
}

}  // namespace

// With a window, leaves out the keys that no query of the block sees.
template <typename T>
ScoreBlock<T> HeadAttention<T>::block_at(Index head, const Heads& all, Index first,
                                         const Pass<T>& pass) const {
  const Index rows = std::min(options_.blocks.rows, all.query.rows - first);
  const Sight sight = options_.at.sight.within(test_of(pass.run()).window);
  const Index first_key = sight.of(all.past + first, all.key.rows).first;
  const Index keys = sight.of(all.past + first + rows - 1, all.key.rows).end - first_key;
  return {.layer = options_.at.number,
          .head = head,
          .sequence = all.sequence,
          .first_key = first_key,
          .first_query = all.past + first - first_key,
          .sight = sight,
          .scale = T(1) / std::sqrt(static_cast<T>(columns_.d_head)),
          .query = columns_.of_query_head(all.query, head).row_range(first, rows),
          .key = columns_.of_key_head(all.key, head).row_range(first_key, keys),
          .key_positions =
              all.key_positions.subspan(static_cast<std::size_t>(first_key), static_cast<std::size_t>(keys))};
}

template <typename T>
void HeadAttention<T>::scores_of(const ScoreBlock<T>& block, const Factor<T>& keys, View<T> scores,
                                 Pass<T>& pass) const {
  multiply<T>(block.query, keys.col_range(block.first_key, block.key.rows), scores, block.scale, T(0),
              block.half(Triangle::Of::result));
  encoding_.encode_scores(block, scores, pass);
  const AttentionTest test = test_of(pass.run());
  for (Index r = 0; r < scores.rows; ++r) {
    const KeyRange seen = block.seen(r);
    double factor = test.factor;
    if (test.log_n_length > 0.0)
      factor *= std::max(1.0, std::log(static_cast<double>(seen.count())) / std::log(test.log_n_length));
    if (factor != 1.0) vmath::scale(static_cast<T>(factor), scores.row(r), seen.end);
    if (options_.softcap > 0.0) cap(scores.row(r), seen.end);
    std::fill_n(scores.row(r), seen.first, masked_score<T>);
  }
}

template <typename T>
void HeadAttention<T>::cap(T* scores, Index count) const {
  vmath::scale(static_cast<T>(1.0 / options_.softcap), scores, count);
  vmath::tanh(scores, scores, count);
  vmath::scale(static_cast<T>(options_.softcap), scores, count);
}

template <typename T>
void HeadAttention<T>::forward_head(Index head, const Heads& all, const Factor<T>& keys,
                                    const Output<T>& output, Pass<T>& pass) const {
  for (Index first = 0; first < all.query.rows; first += options_.blocks.rows) {
    pass.check_stopped();
    const auto frame = pass.scratch_frame();
    const ScoreBlock<T> block = block_at(head, all, first, pass);
    const View<T> weights = output.kept.rows > 0
                                ? output.kept.row_range(first, block.query.rows).col_range(0, block.key.rows)
                                : pass.allocate(block.query.rows, block.key.rows);
    const View<T> sums = output.sums.row_range(first, weights.rows);
    scores_of(block, keys, weights, pass);
    weights_->forward(block, weights, sums, pass);
    const View<T> out = output.out.row_range(first, weights.rows);
    multiply<T>(weights, columns_.of_key_head(all.value, head).row_range(block.first_key, weights.cols), out,
                T(1), T(0), block.half(Triangle::Of::left));
    encoding_.encode_values(block, weights, out, pass);
    for (Index r = 0; r < out.rows; ++r) vmath::scale(T(1) / sums(r, 1), out.row(r), out.cols);
    show(block, first, weights, sums, pass);
  }
}

// Forward leaves the numerators E = exp(S - max S) of the softmax, and their sums Σ E as sums(r, 1). With P = E/Σ E and
// δ = do/Σ E for each row:
//   o = P v            dv += Pᵀ do = Eᵀ δ        dP = do vᵀ        (+ the encoding's share)
//   P(S)               dS: see AttentionWeights
//   S = q kᵀ scale     dq = scale · dS k        dk += scale · dSᵀ q        (+ the encoding's share)
// Writes dq, and adds to dk and dv, from the last block to the first: trained bits depend on the order of these sums.
template <typename T>
void HeadAttention<T>::backward_head(Index head, const Heads& all, const Factor<T>& keys,
                                     const Factor<T>& values, const Output<const T>& output,
                                     const Gradients& all_d, Pass<T>& pass) const {
  const Gradients d{columns_.of_query_head(all_d.out, head), columns_.of_query_head(all_d.query, head),
                    columns_.of_key_head(all_d.key, head), columns_.of_key_head(all_d.value, head)};
  const Index last_block = (all.query.rows - 1) / options_.blocks.rows;
  for (Index first = last_block * options_.blocks.rows; first >= 0; first -= options_.blocks.rows) {
    const auto frame = pass.scratch_frame();
    const ScoreBlock<T> block = block_at(head, all, first, pass);
    const Index rows = block.query.rows;
    const Index seen = block.key.rows;
    const Index first_key = block.first_key;
    const View<T> d_out = pass.allocate(rows, d.out.cols);
    for (Index r = 0; r < rows; ++r) {
      const T inverse_sum = T(1) / output.sums(first + r, 1);
      const T* of_row = d.out.row(first + r);
#pragma omp simd
      for (Index c = 0; c < d_out.cols; ++c) d_out(r, c) = inverse_sum * of_row[c];
    }
    // Forward: o = P v. Here dP/Σ E = δ vᵀ.
    const View<T> d_scores = pass.allocate(rows, seen);
    multiply<T>(d_out, values.col_range(first_key, seen), d_scores, T(1), T(0),
                block.half(Triangle::Of::result));
    encoding_.encode_values_backward(block, d_out, d_scores, pass);
    // Forward: P = softmax(S). Here dS.
    const View<const T> weights = weights_backward(block, keys, output, first, d_out, d_scores, pass);
    const View<T> d_query = d.query.row_range(first, rows);
    const View<T> d_key = d.key.row_range(first_key, seen);
    const Triangle triangle = block.half(Triangle::Of::left);
    // Forward: o = P v and S = q kᵀ scale. Here dv += Eᵀ δ, dq = scale · dS k and dk += scale · dSᵀ q.
    multiply<T>(transposed(weights), d_out, d.value.row_range(first_key, seen), T(1), T(1), triangle);
    multiply<T>(d_scores, block.key, d_query, block.scale, T(0), triangle);
    multiply<T>(transposed(d_scores), block.query, d_key, block.scale, T(1), triangle);
    encoding_.learn_values(block, weights, d_out, pass);
    encoding_.encode_scores_backward(block, {d_scores, d_query, d_key}, pass);
  }
}

// Returns the weights of a block as forward left them, kept or recomputed. Replaces the products of δ with v by dS.
template <typename T>
View<const T> HeadAttention<T>::weights_backward(const ScoreBlock<T>& block, const Factor<T>& keys,
                                                 const Output<const T>& output, Index first,
                                                 View<const T> d_out, View<T> d_scores, Pass<T>& pass) const {
  const Index rows = d_scores.rows;
  const typename AttentionWeights<T>::Gradient of_block{output.sums.row_range(first, rows),
                                                        output.out.row_range(first, rows), d_out, d_scores};
  if (output.kept.rows > 0) {
    const View<const T> weights = output.kept.row_range(first, rows).col_range(0, d_scores.cols);
    weights_->backward_of_kept(block, weights, of_block, pass);
    return weights;
  }
  const View<T> scores = pass.allocate(rows, d_scores.cols);
  scores_of(block, keys, scores, pass);
  const View<T> slopes = slopes_of(block, scores, pass);
  weights_->backward(block, scores, of_block, pass);
  for (Index r = 0; r < slopes.rows; ++r)
    vmath::multiply(d_scores.row(r), slopes.row(r), d_scores.row(r), slopes.cols);
  return scores;
}

// With s = c tanh(z/c): ds/dz = 1 - (s/c)² where a row sees a key, else 0. Empty without a softcap.
template <typename T>
View<T> HeadAttention<T>::slopes_of(const ScoreBlock<T>& block, View<const T> capped, Pass<T>& pass) const {
  if (options_.softcap == 0.0) return {};
  const View<T> slopes = pass.zeros(capped.rows, capped.cols);
  for (Index r = 0; r < slopes.rows; ++r) {
    const KeyRange seen = block.seen(r);
    for (Index j = seen.first; j < seen.end; ++j) {
      const T share = capped(r, j) / static_cast<T>(options_.softcap);
      slopes(r, j) = T(1) - share * share;
    }
  }
  return slopes;
}

// The rows of a block, from query `first` on, with weights and sums as AttentionWeights::forward leaves them.
template <typename T>
void HeadAttention<T>::show(const ScoreBlock<T>& block, Index first, View<const T> weights,
                            View<const T> sums, const Pass<T>& pass) const {
  const AttentionRun<T>* run = pass.run().attention;
  if (run == nullptr || !run->observe || block.sequence > 0) return;
  for (Index r = 0; r < weights.rows; ++r) {
    std::vector<T> row(weights.row(r), weights.row(r) + block.visible(r));
    vmath::scale(T(1) / sums(r, 1), row.data(), std::ssize(row));
    run->observe({block.layer, block.head, first + r, block.first_key, row});
  }
}

template <typename T>
template <typename Element>
typename HeadAttention<T>::template Output<Element> HeadAttention<T>::of_head(const Output<Element>& all,
                                                                              Index head) const {
  const Index kept = all.kept.cols;
  return {columns_.of_query_head(all.out, head), all.sums.col_range(2 * head, 2),
          kept == 0 ? all.kept : all.kept.row_range(head * kept, kept)};
}

// The heads of a group come one after the other, so the keys are copied once for all of them.
template <typename T>
void HeadAttention<T>::forward(const Heads& all, const Output<T>& output, Pass<T>& pass) const {
  for (Index group = 0; group < columns_.heads(); group += columns_.group) {
    const auto frame = pass.scratch_frame();
    const Factor<T> keys = right_factor(columns_.of_key_head(all.key, group), all.query.rows, pass);
    for (Index head = group; head < group + columns_.group; ++head)
      forward_head(head, all, keys, of_head(output, head), pass);
  }
}

template <typename T>
void HeadAttention<T>::backward(const Heads& all, const Output<const T>& output, const Gradients& d,
                                Pass<T>& pass) const {
  const bool kept = output.kept.rows > 0;  // if so, no scores are computed again
  for (Index group = 0; group < columns_.heads(); group += columns_.group) {
    const auto frame = pass.scratch_frame();
    const View<const T> key = columns_.of_key_head(all.key, group);
    const Factor<T> keys = kept ? Factor<T>(key) : right_factor(key, all.query.rows, pass);
    const Factor<T> values = right_factor(columns_.of_key_head(all.value, group), all.query.rows, pass);
    for (Index head = group; head < group + columns_.group; ++head)
      backward_head(head, all, keys, values, of_head(output, head), d, pass);
  }
}

ORDINAL_INSTANTIATE(HeadAttention);

}  // namespace ordinal

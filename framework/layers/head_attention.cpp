#include "framework/layers/head_attention.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "framework/core/blas.h"
#include "framework/core/lanes.h"
#include "framework/core/vector_math.h"
#include "framework/layers/stick_breaking.h"

namespace ordinal {
namespace {

// A score so low that its exponential is 0.
template <typename T>
constexpr T masked = std::numeric_limits<T>::lowest() / T(2);

// The visible scores of a row rounded up to whole vectors.
template <typename T>
Index padded_width(Index visible, Index cols) {
  constexpr Index lanes = Lanes<T>::count;
  return std::min((visible + lanes - 1) / lanes * lanes, cols);
}

// Masks what a padded row reads beyond the visible scores: all of its last vector at once, because a loop over the few
// values that are hidden costs more than the row's exponentials.
template <typename T>
void mask_padding(T* row, Index visible, Index width) {
  constexpr Index lanes = Lanes<T>::count;
  if (width < lanes) {
    std::fill(row + visible, row + width, masked<T>);
    return;
  }
  T* last = row + width - lanes;
  const int seen = static_cast<int>(visible - (width - lanes));
#pragma omp simd
  for (int i = 0; i < static_cast<int>(lanes); ++i) last[i] = i < seen ? last[i] : masked<T>;
}

// Keys to the left of the window of the row's query.
template <typename T>
void mask_before_window(const ScoreBlock<T>& block, Index row, Index window, T* scores) {
  const Index hidden = block.visible(row) - window;
  if (hidden > 0) std::fill(scores, scores + hidden, masked<T>);
}

// exp(S - max) in place of the scores S of a block.
template <typename T>
void exponentials(const ScoreBlock<T>& block, View<const T> sums, View<T> scores) {
  for (Index r = 0; r < scores.rows; ++r) {
    T* row = scores.row(r);
    const Index width = padded_width<T>(block.visible(r), scores.cols);
    mask_padding(row, block.visible(r), width);
    vmath::exp_shifted(row, sums(r, 0), row, width);
    std::fill(row + width, row + scores.cols, T(0));
  }
}

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
  const Index last = options_.causal ? head.past + first + rows : head.key.rows;
  const Index window = pass.run().window;
  const Index first_key = window > 0 ? std::max<Index>(0, head.past + first + 1 - window) : 0;
  const auto keys = static_cast<std::size_t>(last - first_key);
  return {.layer = options_.layer,
          .head = head.index,
          .sequence = head.sequence,
          .first_key = first_key,
          .first_query = head.past + first - first_key,
          .causal = options_.causal,
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
  const Run<T>& run = pass.run();
  for (Index r = 0; run.log_n_length > 0.0 && r < scores.rows; ++r) {
    const Index before = block.first_key + block.visible(r);
    const Index seen = run.window > 0 ? std::min(before, run.window) : before;
    const double factor = std::log(static_cast<double>(seen)) / std::log(run.log_n_length);
    if (factor > 1.0) vmath::scale(static_cast<T>(factor), scores.row(r), block.visible(r));
  }
  for (Index r = 0; run.window > 0 && r < scores.rows; ++r) {
    mask_before_window(block, r, run.window, scores.row(r));
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

// Rows of weights times their sums, zero beyond the visible keys. For softmax these are exp(S - max): o is divided by
// their sums, which is less work than dividing them, and backward needs only `sums` to compute them again.
template <typename T>
void HeadAttention<T>::normalise(const ScoreBlock<T>& block, View<T> scores, View<T> sums) const {
  const bool sticks = options_.weights == AttentionWeights::stick_breaking;
  for (Index r = 0; r < scores.rows; ++r) {
    T* row = scores.row(r);
    const Index visible = block.visible(r);
    if (sticks) stick_breaking(row, visible);
    const Index width = sticks ? visible : padded_width<T>(visible, scores.cols);
    if (!sticks) mask_padding(row, visible, width);
    const auto [largest, total] =
        sticks ? vmath::SoftmaxSums<T>{T(0), T(1)} : vmath::softmax_exponentials(row, width);
    std::fill(row + width, row + scores.cols, T(0));
    sums(r, 0) = largest;
    sums(r, 1) = total;
  }
}

template <typename T>
bool HeadAttention<T>::keeps(const Pass<T>& pass) const {
  return pass.run().record && options_.weights == AttentionWeights::softmax &&
         pass.seq_len() <= options_.kept_length;
}

template <typename T>
void HeadAttention<T>::forward(const Head& head, View<T> out, View<T> sums, View<T> kept,
                               Pass<T>& pass) const {
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
    normalise(block, scores, sums.row_range(first, scores.rows));
    mix(block, scores, head.value.row_range(block.first_key, scores.cols), out.row_range(first, scores.rows),
        pass);
    for (Index r = 0; r < scores.rows; ++r)
      vmath::scale(T(1) / sums(first + r, 1), out.row(first + r), out.cols);
  }
}

// do of a block divided by the sums of its rows: its products with exp(S - max) are those of do with P.
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

// exp(S - max) of a block: kept, or computed again. And dS in place of the products of δ with v.
template <typename T>
View<const T> HeadAttention<T>::softmax_scores_backward(const ScoreBlock<T>& block, const Factor<T>& keys,
                                                        const Gradients& gradients, Index first,
                                                        View<const T> d_out, View<T> d_scores,
                                                        Pass<T>& pass) const {
  View<const T> weights = gradients.kept;
  if (weights.rows > 0) {
    weights = weights.row_range(first, d_out.rows).col_range(0, d_scores.cols);
  } else {
    const View<T> scores = pass.allocate(d_scores.rows, d_scores.cols);
    scores_of(block, keys, scores, pass);
    exponentials(block, gradients.sums.row_range(first, d_out.rows), scores);
    weights = scores;
  }
  for (Index r = 0; r < d_scores.rows; ++r) {
    T* row = d_scores.row(r);
    const Index width = padded_width<T>(block.visible(r), d_scores.cols);
    const T mean = vmath::dot(d_out.row(r), gradients.out.row(first + r), d_out.cols);
    vmath::softmax_backward(weights.row(r), mean, row, width);
    std::fill(row + width, row + d_scores.cols, T(0));
  }
  return weights;
}

// The weights of a block, and dS in place of dP.
template <typename T>
View<const T> HeadAttention<T>::sticks_backward(const ScoreBlock<T>& block, const Factor<T>& keys,
                                                View<T> d_scores, Pass<T>& pass) const {
  const View<T> weights = pass.allocate(d_scores.rows, d_scores.cols);
  scores_of(block, keys, weights, pass);
  const View<T> scratch = pass.allocate(1, weights.cols);
  for (Index r = 0; r < weights.rows; ++r) {
    const Index visible = block.visible(r);
    stick_breaking_backward(weights.row(r), d_scores.row(r), scratch.data, visible);
    std::fill(weights.row(r) + visible, weights.row(r) + weights.cols, T(0));
    std::fill(d_scores.row(r) + visible, d_scores.row(r) + weights.cols, T(0));
  }
  return weights;
}

// For each row i of a block, with P = E/Σ E, E = exp(S - max), and δ = do/Σ E:
//   o = P v            dV += Pᵀ do = Eᵀ δ        dP = do Vᵀ        (+ the encoding's share)
//   P = softmax(S)     dS_ij = P_ij (dP_ij - Σ_k P_ik dP_ik) = E_ij ((δ Vᵀ)_ij - δ_i · o_i),
//                      since Σ_k P_ik dP_ik = do_i · o_i      (stick_breaking: see there)
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
    const View<const T> weights =
        options_.weights == AttentionWeights::softmax
            ? softmax_scores_backward(block, keys, gradients, first, d_out, d_scores, pass)
            : sticks_backward(block, keys, d_scores, pass);
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
  const Factor<T> keys = right_factor(head.key, head.query.rows, pass);
  Tensor<T> probabilities({head.query.rows, head.key.rows});
  for (Index first = 0; first < head.query.rows; first += options_.block_rows) {
    const auto block_frame = pass.scratch_frame();
    const ScoreBlock<T> block = block_at(head, first, pass);
    const View<T> scores = pass.allocate(block.query.rows, block.key.rows);
    scores_of(block, keys, scores, pass);
    for (Index r = 0; r < scores.rows; ++r) {
      T* row = probabilities.view().row(first + r) + block.first_key;
      const Index visible = block.visible(r);
      if (options_.weights == AttentionWeights::stick_breaking) {
        std::copy_n(scores.row(r), visible, row);
        stick_breaking(row, visible);
        continue;
      }
      const T total = vmath::exp_shifted(scores.row(r), vmath::max(scores.row(r), visible), row, visible);
      vmath::scale(T(1) / total, row, visible);
    }
  }
  return probabilities;
}

ORDINAL_INSTANTIATE(HeadAttention);

}  // namespace ordinal

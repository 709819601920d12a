#include "framework/layers/attention.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "framework/core/key_value_cache.h"
#include "framework/core/vector_math.h"

namespace ordinal {
namespace {

template <typename Options>
const Options& checked(const Options& options) {
  if (options.heads < 1 || options.d_model % options.heads != 0) {
    throw std::invalid_argument(fmt::format("SelfAttention: d_model {} is not divisible by heads {}",
                                            options.d_model, options.heads));
  }
  if (options.n_kv_heads < 1 || options.heads % options.n_kv_heads != 0) {
    throw std::invalid_argument(fmt::format("SelfAttention: heads {} is not divisible by n_kv_heads {}",
                                            options.heads, options.n_kv_heads));
  }
  return options;
}

// Vectors of 64 bytes leave no rest if a row is read up to a multiple of their length. Scores that are read
// with the visible ones are so low that their exponential is 0.
template <typename T>
Index pad(T* row, Index visible, Index cols) {
  constexpr Index lane = 64 / static_cast<Index>(sizeof(T));
  const Index width = std::min((visible + lane - 1) / lane * lane, cols);
  std::fill(row + visible, row + width, std::numeric_limits<T>::lowest() / T(2));
  return width;
}

// mᵀ as the right factor of products with blocks of queries: a copy, because small products with rows are
// faster by more than the copy costs, unless there are but a few queries.
template <typename T>
Factor<T> right_factor(View<const T> m, Index queries, Pass<T>& pass) {
  if (queries < 8) return transposed(m);
  const View<T> copy = pass.allocate(m.cols, m.rows);
  transpose<T>(m, copy);
  return copy;
}

}  // namespace

/// One head of one sequence. Keys may outnumber queries: with a cache, the first `past` keys are older
/// tokens.
template <typename T>
struct SelfAttention<T>::Heads {
  View<const T> query;  // (seq_len, d_head)
  View<const T> key;    // (past + seq_len, d_head)
  View<const T> value;
  std::span<const double> query_positions;
  std::span<const double> key_positions;
  Index past = 0;
};

template <typename T>
struct SelfAttention<T>::HeadGradients {
  View<const T> out;          // o of the forward pass (seq_len, d_head)
  View<const T> d_out;        // its gradient
  View<const T> log_sum_exp;  // (seq_len, 1)
  View<T> d_query;            // to be written
  View<T> d_key;              // to be written by the first head of a group, added to by the others
  View<T> d_value;
  bool first_of_group = true;
};

template <typename T>
SelfAttention<T>::SelfAttention(const Options& options, const PositionalEncoding<T>& encoding,
                                const Scope& scope)
    : options_(checked(options)),
      encoding_(encoding),
      qkv_({options.d_model, query_width() + 2 * key_width(), options.bias}, scope.nested("qkv")),
      output_({options.d_model, options.d_model, options.bias, options.output_scale},
              scope.nested("output")) {}

template <typename T>
View<T> SelfAttention<T>::project(View<const T> x, Pass<T>& pass) const {
  const View<T> qkv = pass.allocate(x.rows, qkv_.output_width());
  qkv_.forward_into(x, qkv, pass);
  const auto timer = pass.timed(Part::encoding);
  encoding_.encode_query_key(qkv.col_range(0, query_width()), qkv.col_range(query_width(), key_width()),
                             options_.layer, pass);
  return qkv;
}

template <typename T>
typename SelfAttention<T>::Heads SelfAttention<T>::heads_of(View<const T> qkv, Index sequence, Index head,
                                                            const Pass<T>& pass) const {
  const View<const T> rows = qkv.row_range(sequence * pass.seq_len(), pass.seq_len());
  const Index key_column = head / group() * d_head();
  const std::span<const double> positions = pass.run().positions.of(sequence);
  Heads heads{rows.col_range(head * d_head(), d_head()),
              rows.col_range(query_width() + key_column, d_head()),
              rows.col_range(query_width() + key_width() + key_column, d_head()),
              positions,
              positions,
              0};
  if (const KeyValueCache<T>* cache = pass.run().cache) {
    heads.key = cache->keys(options_.layer, sequence).col_range(key_column, d_head());
    heads.value = cache->values(options_.layer, sequence).col_range(key_column, d_head());
    heads.key_positions = cache->positions(sequence);
    heads.past = cache->length();
  }
  return heads;
}

template <typename T>
ScoreBlock<T> SelfAttention<T>::block_at(const Heads& heads, Index first, Index head) const {
  const Index rows = std::min(options_.block_rows, heads.query.rows - first);
  const Index keys = options_.causal ? heads.past + first + rows : heads.key.rows;
  return {.layer = options_.layer,
          .head = head,
          .first_query = heads.past + first,
          .causal = options_.causal,
          .scale = T(1) / std::sqrt(static_cast<T>(d_head())),
          .query = heads.query.row_range(first, rows),
          .key = heads.key.row_range(0, keys),
          .query_positions =
              heads.query_positions.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(rows)),
          .key_positions = heads.key_positions.first(static_cast<std::size_t>(keys))};
}

template <typename T>
void SelfAttention<T>::scores_of(const ScoreBlock<T>& block, const Factor<T>& keys, View<T> scores,
                                 Pass<T>& pass) const {
  multiply<T>(block.query, keys.first_cols(block.key.rows), scores, block.scale);
  const auto timer = pass.timed(Part::encoding);
  encoding_.encode_scores(block, scores, pass);
}

// Rows of exp(S - max) are zero beyond the visible keys, and o is divided by their sums, which is less work
// than to divide them. Their log-sum-exp is all that backward needs to compute P again.
template <typename T>
void SelfAttention<T>::attend(const Heads& heads, Index head, View<T> out, View<T> log_sum_exp,
                              Pass<T>& pass) const {
  const auto head_frame = pass.scratch_frame();
  const Factor<T> keys = right_factor(heads.key, heads.query.rows, pass);
  for (Index first = 0; first < heads.query.rows; first += options_.block_rows) {
    const auto block_frame = pass.scratch_frame();
    const ScoreBlock<T> block = block_at(heads, first, head);
    const View<T> scores = pass.allocate(block.query.rows, block.key.rows);
    const View<T> totals = pass.allocate(1, block.query.rows);
    scores_of(block, keys, scores, pass);
    for (Index r = 0; r < scores.rows; ++r) {
      T* row = scores.row(r);
      const Index width = pad(row, block.visible(r), scores.cols);
      const auto [largest, total] = vmath::softmax_exponentials(row, width);
      std::fill(row + width, row + scores.cols, T(0));
      totals(0, r) = total;
      log_sum_exp(first + r, 0) = largest + std::log(total);
    }
    multiply<T>(scores, heads.value.row_range(0, scores.cols), out.row_range(first, scores.rows));
    for (Index r = 0; r < scores.rows; ++r) vmath::scale(T(1) / totals(0, r), out.row(first + r), out.cols);
  }
}

template <typename T>
View<const T> SelfAttention<T>::forward(View<const T> x, Pass<T>& pass) const {
  const auto timer = pass.timed(Part::attention);
  const View<T> qkv = project(x, pass);
  if (KeyValueCache<T>* cache = pass.run().cache) {
    for (Index sequence = 0; sequence < pass.batch(); ++sequence) {
      const View<const T> rows = qkv.row_range(sequence * pass.seq_len(), pass.seq_len());
      cache->append(options_.layer, sequence, rows.col_range(query_width(), key_width()),
                    rows.col_range(query_width() + key_width(), key_width()));
    }
  }
  const View<T> out = pass.allocate(x.rows, options_.d_model);
  const View<T> log_sum_exp = pass.allocate(x.rows, options_.heads);
  for (Index sequence = 0; sequence < pass.batch(); ++sequence) {
    const Index row = sequence * pass.seq_len();
    for (Index head = 0; head < options_.heads; ++head) {
      attend(heads_of(qkv, sequence, head, pass), head,
             out.row_range(row, pass.seq_len()).col_range(head * d_head(), d_head()),
             log_sum_exp.row_range(row, pass.seq_len()).col_range(head, 1), pass);
    }
  }
  pass.save("SelfAttention", qkv);
  pass.save("SelfAttention", log_sum_exp);
  pass.save("SelfAttention", out);
  return output_.forward(out, pass);
}

// For each row i of a block, with P = exp(S - logsumexp):
//   o = P v            dV += Pᵀ do        dP = do Vᵀ
//   P = softmax(S)     dS_ij = P_ij (dP_ij - Σ_k P_ik dP_ik),  and  Σ_k P_ik dP_ik = do_i · o_i
//   S = q kᵀ scale     dq = scale · dS k        dk += scale · dSᵀ q        (+ the encoding's share)
// Blocks go from the last to the first, because the last one sees all keys: its products write dk and dv
// where later ones add.
template <typename T>
void SelfAttention<T>::attend_backward(const Heads& heads, Index head, const HeadGradients& gradients,
                                       Pass<T>& pass) const {
  T keep = gradients.first_of_group ? T(0) : T(1);
  const auto head_frame = pass.scratch_frame();
  const Factor<T> keys = right_factor(heads.key, heads.query.rows, pass);
  const Factor<T> values = right_factor(heads.value, heads.query.rows, pass);
  const Index last_block = (heads.query.rows - 1) / options_.block_rows;
  for (Index first = last_block * options_.block_rows; first >= 0; first -= options_.block_rows) {
    const auto block_frame = pass.scratch_frame();
    const ScoreBlock<T> block = block_at(heads, first, head);
    const Index rows = block.query.rows;
    const Index seen = block.key.rows;
    const View<const T> d_out = gradients.d_out.row_range(first, rows);
    const View<T> probabilities = pass.allocate(rows, seen);
    const View<T> d_scores = pass.allocate(rows, seen);
    scores_of(block, keys, probabilities, pass);
    multiply<T>(d_out, values.first_cols(seen), d_scores);
    for (Index r = 0; r < rows; ++r) {
      T* p = probabilities.row(r);
      T* ds = d_scores.row(r);
      const Index width = pad(p, block.visible(r), seen);
      const T weighted_mean = vmath::dot(d_out.row(r), gradients.out.row(first + r), d_head());
      vmath::softmax_backward(p, ds, gradients.log_sum_exp(first + r, 0), weighted_mean, width);
      std::fill(p + width, p + seen, T(0));
      std::fill(ds + width, ds + seen, T(0));
    }
    const View<T> d_query = gradients.d_query.row_range(first, rows);
    const View<T> d_key = gradients.d_key.row_range(0, seen);
    multiply<T>(transposed(probabilities), d_out, gradients.d_value.row_range(0, seen), T(1), keep);
    multiply<T>(d_scores, block.key, d_query, block.scale);
    multiply<T>(transposed(d_scores), block.query, d_key, block.scale, keep);
    keep = T(1);
    const auto timer = pass.timed(Part::encoding);
    encoding_.encode_scores_backward(block, {d_scores, d_query, d_key}, pass);
  }
}

template <typename T>
View<const T> SelfAttention<T>::backward(View<const T> dy, Pass<T>& pass) const {
  const auto timer = pass.timed(Part::attention);
  const View<const T> d_out = output_.backward(dy, pass);
  const View<const T> out = pass.restore("SelfAttention");
  const View<const T> log_sum_exp = pass.restore("SelfAttention");
  const View<const T> qkv = pass.restore("SelfAttention");
  const View<T> d_qkv = pass.allocate(qkv.rows, qkv.cols);
  for (Index sequence = 0; sequence < pass.batch(); ++sequence) {
    const auto rows_of = [&](auto view) { return view.row_range(sequence * pass.seq_len(), pass.seq_len()); };
    for (Index head = 0; head < options_.heads; ++head) {
      const Index column = head * d_head();
      const Index key_column = query_width() + head / group() * d_head();
      attend_backward(heads_of(qkv, sequence, head, pass), head,
                      {.out = rows_of(out).col_range(column, d_head()),
                       .d_out = rows_of(d_out).col_range(column, d_head()),
                       .log_sum_exp = rows_of(log_sum_exp).col_range(head, 1),
                       .d_query = rows_of(d_qkv).col_range(column, d_head()),
                       .d_key = rows_of(d_qkv).col_range(key_column, d_head()),
                       .d_value = rows_of(d_qkv).col_range(key_column + key_width(), d_head()),
                       .first_of_group = head % group() == 0},
                      pass);
    }
  }
  {
    const auto encoding_timer = pass.timed(Part::encoding);
    encoding_.encode_query_key_backward(d_qkv.col_range(0, query_width()),
                                        d_qkv.col_range(query_width(), key_width()), options_.layer, pass);
  }
  return qkv_.backward(d_qkv, pass);
}

template <typename T>
Tensor<T> SelfAttention<T>::probabilities(View<const T> x, Index sequence, Index head, Pass<T>& pass) const {
  const auto frame = pass.forward_frame();
  const Heads heads = heads_of(project(x, pass), sequence, head, pass);
  const Factor<T> keys = right_factor(heads.key, heads.query.rows, pass);
  Tensor<T> result({heads.query.rows, heads.key.rows});
  for (Index first = 0; first < heads.query.rows; first += options_.block_rows) {
    const auto block_frame = pass.scratch_frame();
    const ScoreBlock<T> block = block_at(heads, first, head);
    const View<T> scores = pass.allocate(block.query.rows, block.key.rows);
    scores_of(block, keys, scores, pass);
    for (Index r = 0; r < scores.rows; ++r) {
      T* row = result.view().row(first + r);
      const Index visible = block.visible(r);
      const T total = vmath::exp_shifted(scores.row(r), vmath::max(scores.row(r), visible), row, visible);
      vmath::scale(T(1) / total, row, visible);
    }
  }
  return result;
}

template class SelfAttention<float>;
template class SelfAttention<double>;

}  // namespace ordinal

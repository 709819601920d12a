#include "framework/layers/attention.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "framework/core/decode_cache.h"
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

template <typename T>
const PositionalEncoding<T>& encoding_of(const LayerContext<T>& context) {
  if (context.encoding != nullptr) return *context.encoding;
  throw std::invalid_argument("SelfAttention: got no positional encoding, expected one (none is one too)");
}

template <typename T>
void check_head(const AttentionProbe<T>& probe, Index heads) {
  if (probe.head >= 0 && probe.head < heads) return;
  throw std::out_of_range(
      fmt::format("SelfAttention: got a probe of head {}, expected 0 to {}", probe.head, heads - 1));
}

// A score so low that its exponential is 0.
template <typename T>
constexpr T masked = std::numeric_limits<T>::lowest() / T(2);

// Rounds a row up to whole 64-byte vectors; what is read beyond the visible scores is masked.
template <typename T>
Index pad(T* row, Index visible, Index cols) {
  constexpr Index lane = 64 / static_cast<Index>(sizeof(T));
  const Index width = std::min((visible + lane - 1) / lane * lane, cols);
  std::fill(row + visible, row + width, masked<T>);
  return width;
}

// Keys to the left of the window of the row's query.
template <typename T>
void mask_before_window(const ScoreBlock<T>& block, Index row, Index window, T* scores) {
  const Index hidden = block.visible(row) - window;
  if (hidden > 0) std::fill(scores, scores + hidden, masked<T>);
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
  Index sequence = 0;
  Index head = 0;
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
      output_({options.d_model, options.d_model, options.bias, options.output_scale}, scope.nested("output")),
      keys_(scope.add_state({.cols = key_width()})),
      values_(scope.add_state({.cols = key_width()})) {}

template <typename T>
SelfAttention<T>::SelfAttention(const LayerContext<T>& context, const NoOptions& /*options*/,
                                const Scope& scope)
    : SelfAttention({.d_model = context.shape.d_model,
                     .heads = context.shape.heads,
                     .n_kv_heads = context.shape.n_kv_heads,
                     .causal = context.shape.causal,
                     .bias = context.bias,
                     .output_scale = context.output_scale,
                     .layer = context.layer},
                    encoding_of(context), scope) {}

// Scores and their product with the values take 2·d each for each key; o and the sums are kept besides the
// products.
template <typename T>
Cost SelfAttention<T>::cost(Index seq_len) const {
  const auto width = static_cast<double>(options_.d_model);
  return qkv_.cost(seq_len) + output_.cost(seq_len) + Cost{4.0 * static_cast<double>(seq_len) * width, width};
}

template <typename T>
View<T> SelfAttention<T>::project(View<const T> x, Pass<T>& pass) const {
  const View<T> qkv = pass.allocate(x.rows, qkv_.output_width());
  qkv_.forward_into(x, qkv, pass);
  const auto timer = pass.timed(Work::encoding);
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
  Heads heads{sequence,
              head,
              rows.col_range(head * d_head(), d_head()),
              rows.col_range(query_width() + key_column, d_head()),
              rows.col_range(query_width() + key_width() + key_column, d_head()),
              positions,
              positions,
              0};
  if (const DecodeCache<T>* cache = pass.run().cache) {
    heads.key = cache->rows(keys_, sequence).col_range(key_column, d_head());
    heads.value = cache->rows(values_, sequence).col_range(key_column, d_head());
    heads.key_positions = cache->positions(sequence);
    heads.past = cache->length();
  }
  return heads;
}

// With a window, keys that no query of the block sees are left out.
template <typename T>
ScoreBlock<T> SelfAttention<T>::block_at(const Heads& heads, Index first, const Pass<T>& pass) const {
  const Index rows = std::min(options_.block_rows, heads.query.rows - first);
  const Index last = options_.causal ? heads.past + first + rows : heads.key.rows;
  const Index window = pass.run().window;
  const Index first_key = window > 0 ? std::max<Index>(0, heads.past + first + 1 - window) : 0;
  const auto keys = static_cast<std::size_t>(last - first_key);
  return {.layer = options_.layer,
          .head = heads.head,
          .sequence = heads.sequence,
          .first_key = first_key,
          .first_query = heads.past + first - first_key,
          .causal = options_.causal,
          .scale = T(1) / std::sqrt(static_cast<T>(d_head())),
          .query = heads.query.row_range(first, rows),
          .key = heads.key.row_range(first_key, last - first_key),
          .query_positions =
              heads.query_positions.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(rows)),
          .key_positions = heads.key_positions.subspan(static_cast<std::size_t>(first_key), keys)};
}

template <typename T>
void SelfAttention<T>::scores_of(const ScoreBlock<T>& block, const Factor<T>& keys, View<T> scores,
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

// Rows of exp(S - max) are zero beyond the visible keys, and o is divided by their sums, which is less work
// than to divide them. Their log-sum-exp is all that backward needs to compute P again.
template <typename T>
void SelfAttention<T>::attend(const Heads& heads, View<T> out, View<T> log_sum_exp, Pass<T>& pass) const {
  const auto head_frame = pass.scratch_frame();
  const Factor<T> keys = right_factor(heads.key, heads.query.rows, pass);
  for (Index first = 0; first < heads.query.rows; first += options_.block_rows) {
    const auto block_frame = pass.scratch_frame();
    const ScoreBlock<T> block = block_at(heads, first, pass);
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
    multiply<T>(scores, heads.value.row_range(block.first_key, scores.cols),
                out.row_range(first, scores.rows));
    for (Index r = 0; r < scores.rows; ++r) vmath::scale(T(1) / totals(0, r), out.row(first + r), out.cols);
  }
}

template <typename T>
View<const T> SelfAttention<T>::forward(View<const T> x, Pass<T>& pass) const {
  const auto timer = pass.timed(Work::attention);
  if (pass.run().window > 0 && !options_.causal) {
    throw std::invalid_argument("SelfAttention: got a window, expected none in a bidirectional model");
  }
  const View<T> qkv = project(x, pass);
  if (DecodeCache<T>* cache = pass.run().cache) {
    for (Index sequence = 0; sequence < pass.batch(); ++sequence) {
      const View<const T> rows = qkv.row_range(sequence * pass.seq_len(), pass.seq_len());
      cache->append(keys_, sequence, rows.col_range(query_width(), key_width()));
      cache->append(values_, sequence, rows.col_range(query_width() + key_width(), key_width()));
    }
  }
  if (AttentionProbe<T>* probe = pass.run().probe; probe != nullptr && probe->layer == options_.layer) {
    check_head(*probe, options_.heads);
    show(heads_of(qkv, 0, probe->head, pass), *probe, pass);
  }
  const View<T> out = pass.allocate(x.rows, options_.d_model);
  const View<T> log_sum_exp = pass.allocate(x.rows, options_.heads);
  for (Index sequence = 0; sequence < pass.batch(); ++sequence) {
    const Index row = sequence * pass.seq_len();
    for (Index head = 0; head < options_.heads; ++head) {
      attend(heads_of(qkv, sequence, head, pass),
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
void SelfAttention<T>::attend_backward(const Heads& heads, const HeadGradients& gradients,
                                       Pass<T>& pass) const {
  T keep = gradients.first_of_group ? T(0) : T(1);
  const auto head_frame = pass.scratch_frame();
  const Factor<T> keys = right_factor(heads.key, heads.query.rows, pass);
  const Factor<T> values = right_factor(heads.value, heads.query.rows, pass);
  const Index last_block = (heads.query.rows - 1) / options_.block_rows;
  for (Index first = last_block * options_.block_rows; first >= 0; first -= options_.block_rows) {
    const auto block_frame = pass.scratch_frame();
    const ScoreBlock<T> block = block_at(heads, first, pass);
    const Index rows = block.query.rows;
    const Index seen = block.key.rows;
    const View<const T> d_out = gradients.d_out.row_range(first, rows);
    const View<T> probabilities = pass.allocate(rows, seen);
    const View<T> d_scores = pass.allocate(rows, seen);
    scores_of(block, keys, probabilities, pass);
    multiply<T>(d_out, values.col_range(0, seen), d_scores);
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
    const auto timer = pass.timed(Work::encoding);
    encoding_.encode_scores_backward(block, {d_scores, d_query, d_key}, pass);
  }
}

template <typename T>
View<const T> SelfAttention<T>::backward(View<const T> dy, Pass<T>& pass) const {
  const auto timer = pass.timed(Work::attention);
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
      attend_backward(heads_of(qkv, sequence, head, pass),
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
    const auto encoding_timer = pass.timed(Work::encoding);
    encoding_.encode_query_key_backward(d_qkv.col_range(0, query_width()),
                                        d_qkv.col_range(query_width(), key_width()), options_.layer, pass);
  }
  return qkv_.backward(d_qkv, pass);
}

template <typename T>
void SelfAttention<T>::show(const Heads& heads, AttentionProbe<T>& probe, Pass<T>& pass) const {
  const auto frame = pass.scratch_frame();
  const Factor<T> keys = right_factor(heads.key, heads.query.rows, pass);
  probe.probabilities = Tensor<T>({heads.query.rows, heads.key.rows});
  for (Index first = 0; first < heads.query.rows; first += options_.block_rows) {
    const auto block_frame = pass.scratch_frame();
    const ScoreBlock<T> block = block_at(heads, first, pass);
    const View<T> scores = pass.allocate(block.query.rows, block.key.rows);
    scores_of(block, keys, scores, pass);
    for (Index r = 0; r < scores.rows; ++r) {
      T* row = probe.probabilities.view().row(first + r) + block.first_key;
      const Index visible = block.visible(r);
      const T total = vmath::exp_shifted(scores.row(r), vmath::max(scores.row(r), visible), row, visible);
      vmath::scale(T(1) / total, row, visible);
    }
  }
}

ORDINAL_INSTANTIATE(SelfAttention);

LayerEntry attention_layer() {
  return describe_layer<SelfAttention>(
      {.name = "attention",
       .kind = LayerKind::branch,
       .summary = "multi-head self-attention with grouped key/value heads; Vaswani et al. 2017, §3.2",
       .uses_encoding = true});
}

}  // namespace ordinal

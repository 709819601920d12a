#include "framework/attention/attention.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <stdexcept>

#include "framework/core/decode_cache.h"
#include "framework/core/errors.h"

namespace ordinal {
namespace {

// The encoding of the context.
template <typename T>
const PositionalEncoding<T>& checked(const LayerContext<T>& context, const AttentionOptions& options,
                                     const AttentionBlocks& blocks) {
  check_options("attention", options);
  constexpr double least = 1e-3;  // scores are divided by it
  if (options.softcap > 0.0 && options.softcap < least)
    throw ConfigError(
        fmt::format("attention: softcap = {}, expected 0, for none, or at least {}", options.softcap, least));
  if (blocks.rows < 1)
    throw std::invalid_argument(
        fmt::format("SelfAttention: got blocks of {} rows, expected at least 1", blocks.rows));
  const PositionalEncoding<T>& encoding = encoding_for("SelfAttention", context.encoding, context.shape);
  const auto& shape = encoding.attention_shape();
  if (!shape || (context.layer >= 0 && context.layer < shape->layers)) return encoding;
  throw std::invalid_argument(fmt::format(
      "SelfAttention: got layer {} with a positional encoding for {} attention layers, expected 0 to {}",
      context.layer, shape->layers, shape->layers - 1));
}

void check_test(const AttentionTest& test, bool record, bool causal) {
  const auto [window, log_n_length, factor] = test;
  if (window > 0 && !causal)
    throw std::invalid_argument("SelfAttention: got a window, expected none in a bidirectional model");
  if (record && (window > 0 || log_n_length > 0.0 || factor != 1.0))
    throw std::logic_error("SelfAttention: a window and scaled scores are for tests, got a recorded run");
  if (window >= 0 && (log_n_length == 0.0 || log_n_length > 1.0) && factor > 0.0) return;
  throw std::logic_error(
      fmt::format("SelfAttention: got window {}, log-n length {} and factor {}, expected 0 or more, 0 or "
                  "above 1, and above 0",
                  window, log_n_length, factor));
}

// The norm of the queries or the keys of a head; null for "none".
template <typename T>
std::unique_ptr<Layer<T>> head_norm(const std::string& norm, Index d_head, const Scope& scope) {
  if (norm == "none") return nullptr;
  return make_layer<T>(LayerKind::norm, norm, {.width = d_head}, scope);
}

std::string weights_formulas() {
  std::string text;
  for (const WeightsEntry& entry : attention_weights().entries()) {
    text += fmt::format("  weights = {:<15} w_ij = {}\n", entry.name, entry.formula);
  }
  return text;
}

}  // namespace

std::vector<std::string> AttentionOptions::norms_or_none() {
  std::vector<std::string> names = layers(LayerKind::norm).names();
  names.insert(names.begin(), "none");
  return names;
}

void AttentionOptions::resolve(const ModelShape& shape) {
  if (qk_norm != "none") qk_norm = resolved_text(layers(LayerKind::norm), qk_norm, shape);
  if (!shape.causal && window > 0)
    throw ConfigError(fmt::format("window = {} in a bidirectional model, expected 0", window));
}

template <typename T>
SelfAttention<T>::SelfAttention(const LayerContext<T>& context, const AttentionOptions& options,
                                const Scope& scope, const AttentionBlocks& blocks)
    : shape_(context.shape),
      at_{context.layer, {shape_.causal, options.window}},
      columns_("SelfAttention", shape_),
      encoding_(checked(context, options, blocks).only(options.encoding)),
      head_attention_(encoding_, columns_, {at_, options.weights, options.softcap, blocks}, scope),
      projections_(columns_, context.bias, scope),
      query_norm_(head_norm<T>(options.qk_norm, columns_.d_head, scope.nested("query_norm"))),
      key_norm_(head_norm<T>(options.qk_norm, columns_.d_head, scope.nested("key_norm"))),
      keys_(scope.add_state({.cols = columns_.key_width})),
      values_(scope.add_state({.cols = columns_.key_width})) {}

template <typename T>
LayerAt SelfAttention<T>::at(const Pass<T>& pass) const {
  return {at_.number, at_.sight.within(test_of(pass.run()).window)};
}

// [q k v] = x W_qkvᵀ + b, then the norms and the encoding of q and k. If the run has a cache, also appends k and v to it.
template <typename T>
typename SelfAttention<T>::template Projected<T> SelfAttention<T>::project(View<const T> x,
                                                                           Pass<T>& pass) const {
  encoding_.encode_layer(x, at_.number, pass);
  const View<T> qkv = pass.allocate(x.rows, columns_.all());
  projections_.qkv.forward_into(x, qkv, pass);
  const View<T> query = normalised(columns_.queries(qkv), query_norm_.get(), pass);
  const View<T> key = normalised(columns_.keys(qkv), key_norm_.get(), pass);
  const View<T> value = columns_.values(qkv);
  encoding_.encode_query_key(query, key, at(pass), pass);
  if (DecodeCache<T>* cache = pass.run().cache) {
    for (Index sequence = 0; sequence < pass.batch(); ++sequence) {
      cache->append(keys_, sequence, pass.rows_of(key, sequence));
      cache->append(values_, sequence, pass.rows_of(value, sequence));
    }
  }
  return {query, key, value};
}

// Head by head. The norm keeps its input, so its output stands elsewhere.
template <typename T>
View<T> SelfAttention<T>::normalised(View<T> heads, const Layer<T>* norm, Pass<T>& pass) const {
  if (norm == nullptr) return heads;
  const View<T> all = pass.allocate(heads.rows, heads.cols);
  for (Index column = 0; column < heads.cols; column += columns_.d_head) {
    copy_rows<T>(norm->forward(heads.col_range(column, columns_.d_head), pass),
                 all.col_range(column, columns_.d_head));
  }
  return all;
}

template <typename T>
void SelfAttention<T>::normalise_backward(View<T> d_heads, const Layer<T>* norm, Pass<T>& pass) const {
  if (norm == nullptr) return;
  for (Index column = d_heads.cols - columns_.d_head; column >= 0; column -= columns_.d_head) {
    const View<T> d_head = d_heads.col_range(column, columns_.d_head);
    copy_rows<T>(norm->backward(d_head, pass), d_head);
  }
}

template <typename T>
typename SelfAttention<T>::Heads SelfAttention<T>::of_sequence(const Projected<const T>& all, Index sequence,
                                                               const Pass<T>& pass) const {
  const View<const T> query = pass.rows_of(all.query, sequence);
  if (const DecodeCache<T>* cache = pass.run().cache) {
    return {sequence,
            query,
            cache->rows(keys_, sequence),
            cache->rows(values_, sequence),
            cache->positions(sequence),
            cache->length()};
  }
  return {sequence, query, pass.rows_of(all.key, sequence), pass.rows_of(all.value, sequence),
          pass.run().positions.of(sequence)};
}

template <typename T>
View<const T> SelfAttention<T>::forward(View<const T> x, Pass<T>& pass) const {
  this->check_width("SelfAttention", x);
  check_test(test_of(pass.run()), pass.run().record, shape_.causal);
  const auto [query, key, value] = project(x, pass);
  const bool keeps = pass.run().record && head_attention_.keeps(pass.seq_len());
  const typename HeadAttention<T>::template Output<T> all{
      pass.allocate(x.rows, shape_.d_model), pass.allocate(x.rows, 2 * shape_.heads),
      keeps ? pass.allocate(x.rows * shape_.heads, pass.seq_len()) : View<T>{}};
  for (Index sequence = 0; sequence < pass.batch(); ++sequence)
    head_attention_.forward(of_sequence({query, key, value}, sequence, pass), all.of_sequence(sequence, pass),
                            pass);
  for (const View<T> saved : {query, key, value, all.sums, all.kept, all.out})
    pass.save("SelfAttention", saved);
  return projections_.output.forward(all.out, pass);
}

template <typename T>
View<const T> SelfAttention<T>::backward(View<const T> dy, Pass<T>& pass) const {
  const View<const T> d_out = projections_.output.backward(dy, pass);
  const View<const T> out = pass.restore("SelfAttention");
  const View<const T> kept = pass.restore("SelfAttention");
  const View<const T> sums = pass.restore("SelfAttention");
  const View<const T> value = pass.restore("SelfAttention");
  const View<const T> key = pass.restore("SelfAttention");
  const View<const T> query = pass.restore("SelfAttention");
  const typename HeadAttention<T>::template Output<const T> all{out, sums, kept};
  const View<T> d_qkv = pass.zeros(dy.rows, columns_.all());
  const Projected<T> d{columns_.queries(d_qkv), columns_.keys(d_qkv), columns_.values(d_qkv)};
  for (Index sequence = 0; sequence < pass.batch(); ++sequence) {
    head_attention_.backward(of_sequence({query, key, value}, sequence, pass),
                             all.of_sequence(sequence, pass),
                             {pass.rows_of(d_out, sequence), pass.rows_of(d.query, sequence),
                              pass.rows_of(d.key, sequence), pass.rows_of(d.value, sequence)},
                             pass);
  }
  encoding_.encode_query_key_backward(d.query, d.key, at(pass), pass);
  normalise_backward(d.key, key_norm_.get(), pass);
  normalise_backward(d.query, query_norm_.get(), pass);
  const View<T> dx = pass.allocate(dy.rows, shape_.d_model);
  projections_.qkv.backward_into(d_qkv, dx, pass);
  encoding_.encode_layer_backward(dx, at_.number, pass);
  return dx;
}

ORDINAL_INSTANTIATE(SelfAttention);

LayerEntry attention_layer() {
  return describe_layer<SelfAttention, AttentionOptions>(
      {.name = "attention",
       .kind = LayerKind::branch,
       .summary = "multi-head self-attention with grouped key/value heads; Vaswani et al. 2017, §3.2",
       .definition =
           R"([q k v] = x W_qkvᵀ + b: the queries of H heads, then the keys of n_kv_heads heads, then their values, d_h columns
each. Query head h uses key/value head ⌊h n_kv_heads/H⌋. For each query head
  score_ij = q_i·k_j/√d_h, changed by the encodings that act on query, key or scores (--list NAME)
  o_i = Σ_j w_ij v_j over the keys j ≤ i in a causal model, or all keys in an encoder; with a window of n keys,
        over i - n < j ≤ i
and y_i = [o_i of all heads] W_outᵀ + b_out. With qk_norm, a norm of d_h columns first acts on the queries and keys
of each head, with one gain for the queries of all heads and one for the keys. Its ε is its own option:
qk_norm = rmsnorm(epsilon=1e-6). encoding = none, or names, restricts the encodings of queries, keys, scores and
values in this layer, so layers may differ. Names stand in the order of model.encoding, in which the encodings
act; those of the input act before all layers. Encodings have parameters for all attention layers, even where they do
not act. With softcap = c > 0, a score z, with the terms of encodings and the factors of the conditions log_n and temperature, becomes
c tanh(z/c). The weights w of row i, with scores z_j:
)" + weights_formulas() +
           R"(Parameters:
  block.N.attention.qkv.weight     W_qkv  ((H + 2 n_kv_heads) d_h, d_model)  model.init
  block.N.attention.qkv.bias       b      ((H + 2 n_kv_heads) d_h)           0
  block.N.attention.output.weight  W_out  (d_model, d_model)                 model.init, last
  block.N.attention.output.bias    b_out  (d_model)                          0
  block.N.attention.sink           s      (H)                                0, with weights = sink
  block.N.attention.query_norm.weight, key_norm.weight  (d_h)                1, with qk_norm (and .bias, 0, of layernorm)
Vaswani et al. 2017, §3.2; shared keys: Ainslie et al. 2023;
qk_norm: after Henry et al. 2020, as in Qwen 3; softcap: Gemma 2 (Riviere et al. 2024); sink: gpt-oss (OpenAI 2025).)",
       .uses_encoding = true});
}

}  // namespace ordinal

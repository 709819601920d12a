// What all kinds of attention share: checks of the sizes and the encoding, the columns of the heads, and the projections.
#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <string_view>

#include "framework/core/model_shape.h"
#include "framework/layers/linear.h"
#include "framework/positional/positional_encoding.h"

namespace ordinal {

/// The columns of q, k and v in one product x W_qkvᵀ: the queries of all heads, then the keys of all key/value heads,
/// then their values. `group` query heads share a key/value head.
struct HeadColumns {
  Index d_head = 0;
  Index group = 0;
  Index query_width = 0;
  Index key_width = 0;

  /// Throws std::invalid_argument, naming `layer`, unless n_kv_heads divides heads and heads divides d_model.
  HeadColumns(std::string_view layer, const ModelShape& shape) {
    if (shape.heads < 1 || shape.d_model % shape.heads != 0) {
      throw std::invalid_argument(
          fmt::format("{}: d_model {} is not divisible by heads {} (change model.d_model or model.heads)",
                      layer, shape.d_model, shape.heads));
    }
    if (shape.n_kv_heads < 1 || shape.heads % shape.n_kv_heads != 0) {
      throw std::invalid_argument(fmt::format(
          "{}: heads {} is not divisible by n_kv_heads {} (change model.heads or model.n_kv_heads)", layer,
          shape.heads, shape.n_kv_heads));
    }
    d_head = shape.d_head();
    group = shape.heads / shape.n_kv_heads;
    query_width = shape.d_model;
    key_width = shape.n_kv_heads * d_head;
  }

  Index heads() const { return query_width / d_head; }
  Index all() const { return query_width + 2 * key_width; }

  // The columns of all heads.
  template <typename T>
  View<T> queries(View<T> qkv) const {
    return qkv.col_range(0, query_width);
  }
  template <typename T>
  View<T> keys(View<T> qkv) const {
    return qkv.col_range(query_width, key_width);
  }
  template <typename T>
  View<T> values(View<T> qkv) const {
    return qkv.col_range(query_width + key_width, key_width);
  }

  // The columns of one query head, and of its key/value head.
  template <typename T>
  View<T> of_query_head(View<T> queries, Index head) const {
    return queries.col_range(head * d_head, d_head);
  }
  template <typename T>
  View<T> of_key_head(View<T> keys_or_values, Index head) const {
    return keys_or_values.col_range(head / group * d_head, d_head);
  }
};

/// The products around all kinds of attention: [q k v] = x W_qkvᵀ + b, and y = o W_outᵀ + b.
template <typename T>
struct Projections {
  Projections(const HeadColumns& columns, bool bias, const Scope& scope)
      : qkv({.in = columns.query_width,
             .out = columns.all(),
             .bias = bias,
             .stacked = {columns.query_width, columns.key_width, columns.key_width}},
            scope.nested("qkv")),
        output({.in = columns.query_width,
                .out = columns.query_width,
                .bias = bias,
                .role = Linear<T>::Role::last},
               scope.nested("output")) {}

  Linear<T> qkv;
  Linear<T> output;
};

/// Returns *encoding. Throws std::invalid_argument, naming `layer`, if it is null or was built for attention with other
/// heads, widths or direction.
template <typename T>
const PositionalEncoding<T>& encoding_for(std::string_view layer, const PositionalEncoding<T>* encoding,
                                          const ModelShape& shape) {
  if (encoding == nullptr) {
    throw std::invalid_argument(
        fmt::format("{}: got no positional encoding, expected one (such as none)", layer));
  }
  const auto text = [](const ModelShape& of) {
    return fmt::format("d_model {}, {} heads, {}", of.d_model, of.heads,
                       of.causal ? "causal" : "bidirectional");
  };
  const auto& built = encoding->attention_shape();
  if (!built || text(*built) == text(shape)) return *encoding;
  throw std::invalid_argument(
      fmt::format("{}: got a positional encoding for {}; expected {} (build both for the same ModelShape)",
                  layer, text(*built), text(shape)));
}

}  // namespace ordinal

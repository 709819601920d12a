// What every kind of attention asks of its sizes and of the encoding that it is built with.
#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <string_view>

#include "framework/core/model_shape.h"
#include "framework/positional/positional_encoding.h"

namespace ordinal {

/// Throws std::invalid_argument in the name of `layer` unless n_kv_heads divides heads, and heads divide d_model.
inline void check_heads(std::string_view layer, const ModelShape& shape) {
  if (shape.heads < 1 || shape.d_model % shape.heads != 0) {
    throw std::invalid_argument(
        fmt::format("{}: d_model {} is not divisible by heads {}", layer, shape.d_model, shape.heads));
  }
  if (shape.n_kv_heads < 1 || shape.heads % shape.n_kv_heads != 0) {
    throw std::invalid_argument(
        fmt::format("{}: heads {} is not divisible by n_kv_heads {}", layer, shape.heads, shape.n_kv_heads));
  }
}

/// `encoding`; throws std::invalid_argument in the name of `layer` if there is none, or one that was built for attention
/// of other heads, widths or direction.
template <typename T>
const PositionalEncoding<T>& encoding_for(std::string_view layer, const PositionalEncoding<T>* encoding,
                                          const ModelShape& shape) {
  if (encoding == nullptr) {
    throw std::invalid_argument(
        fmt::format("{}: got no positional encoding, expected one (such as none)", layer));
  }
  const auto& built = encoding->attention_shape();
  if (!built ||
      (built->d_model == shape.d_model && built->heads == shape.heads && built->causal == shape.causal)) {
    return *encoding;
  }
  const auto direction = [](bool causal) { return causal ? "causal" : "bidirectional"; };
  throw std::invalid_argument(
      fmt::format("{}: got a positional encoding for d_model {}, {} heads, {}; expected d_model {}, {} "
                  "heads, {} (build both for "
                  "the same ModelShape)",
                  layer, built->d_model, built->heads, direction(built->causal), shape.d_model, shape.heads,
                  direction(shape.causal)));
}

}  // namespace ordinal

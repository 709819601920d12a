// The effect of an encoding as reported by its hooks: the matrices that are plotted and exported.
#pragma once

#include <cstdint>
#include <string>

#include "framework/positional/positional_encoding.h"

namespace ordinal::experiments {

/// Queries and keys of one sequence of one layer, for encodings whose scores depend on them.
struct QueryKey {
  Tensor<double> query;  // (L, heads·d_head)
  Tensor<double> key;    // (L, n_kv_heads·d_head)
};

/// N(0, 1), the same for the same seed.
QueryKey random_query_key(const ModelShape& shape, Index seq_len, std::uint64_t seed);

/// Throws std::invalid_argument unless they are those of `seq_len` tokens.
void check_query_key(const QueryKey& query_key, const ModelShape& shape, Index seq_len);

/// Each is empty (size 0) where the encoding does not act.
struct EncodingMatrices {
  Tensor<double> input;  // (L, d_model): what is added to an input of zeros
  Tensor<double>
      angles;  // (L, pairs): the angle by which each pair of a head is rotated, in radians, not wrapped
  Tensor<double> bias;  // (heads, L, L): what is added to the scores; 0 where a query does not see a key
};

/// Which of them to compute: bias takes heads·L² numbers.
struct WantedMatrices {
  bool input = true;
  bool angles = true;
  bool bias = true;
};

/// Of the sequence at `positions` (one sequence) in `layer`; `name` is the encoding as a config names it.
/// Throws PositionError for positions that the encoding cannot serve, and std::invalid_argument for queries
/// or keys of another shape.
template <typename T>
EncodingMatrices encoding_matrices(const PositionalEncoding<T>& encoding, const Parameters<T>& values,
                                   const std::string& name, const ModelShape& shape,
                                   const Positions& positions, Index layer, const QueryKey& query_key,
                                   const WantedMatrices& wanted = {});

}  // namespace ordinal::experiments

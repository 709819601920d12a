// The whole score of each query and key before the softmax, for one token that is repeated: what differs
// between pairs is the work of the encoding, wherever it acts.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "experiments/runs/encoding_matrices.h"
#include "framework/positional/positional_encoding.h"

namespace ordinal::experiments {

/// All queries and keys of one head of one sequence as one block of scores. query (L, heads·d_head),
/// key (L, n_kv_heads·d_head), positions (L); it refers to all three.
template <typename T>
ScoreBlock<T> whole_block(const ModelShape& shape, Index layer, Index head, View<const T> query,
                          View<const T> key, std::span<const double> positions);

/// Calls encode_layer() with an input of zeros, which stands for that of a layer where there is none.
template <typename T>
void encode_no_content(const PositionalEncoding<T>& encoding, const ModelShape& shape, Index layer,
                       Pass<T>& pass);

/// An encoding at the positions of one sequence, in one layer of attention. Refers to all but the positions.
struct PlacedEncoding {
  const PositionalEncoding<double>& encoding;
  const Parameters<double>& values;
  const ModelShape& shape;
  Positions positions;
  Index layer = 0;

  Index seq_len() const { return positions.seq_len(); }
};

/// The token x that stands at every position, and the projections of a layer.
struct ScoreProbe {
  Tensor<double> token;         // x (d_model) = √d_model · e, e ~ N(0, 0.02²)
  Tensor<double> query_weight;  // W_q (heads·d_head, d_model), entries N(0, 1/d_model)
  Tensor<double> key_weight;    // W_k (n_kv_heads·d_head, d_model), the same
};

/// The same for the same seed.
ScoreProbe random_probe(const ModelShape& shape, std::uint64_t seed);

/// q_i = W_q (x + PE_i), k_i = W_k (x + PE_i), before the encoding acts on queries and keys.
QueryKey probe_query_key(const PlacedEncoding& placed, const ScoreProbe& probe);

/// S (heads, L, L): q_i·k_j / √d_head of the encoded queries and keys, plus what the encoding adds to the
/// scores; 0 where query i does not see key j. Throws PositionError for positions that the encoding cannot
/// serve, and std::invalid_argument for queries or keys of another shape.
Tensor<double> score_matrix(const PlacedEncoding& placed, const QueryKey& query_key);

/// The four products (4, heads, L, L) into which an encoding that acts on the input splits q_i·k_j / √d_head:
///   content-content     (W_q x)·(W_k x)       content-position    (W_q x)·(W_k PE_j)
///   position-content    (W_q PE_i)·(W_k x)    position-position   (W_q PE_i)·(W_k PE_j)
/// the first word is that of the query. 0 where query i does not see key j. They add up to score_matrix() of
/// probe_query_key(), unless another part of the encoding also adds to the scores.
Tensor<double> score_terms(const PlacedEncoding& placed, const ScoreProbe& probe);

/// What scores (heads, L, L) depend on. Only pairs count of which the query sees the key.
struct ScoreStatistics {
  double smallest = 0.0;
  double largest = 0.0;
  double spread = 0.0;  // largest difference of two scores of one head
  /// From depending on the difference of positions alone: distance_deviation().
  std::optional<double> deviation = {};

  /// Up to rounding, 1e-9 of the largest score (or of 1).
  bool depends_on_distance_alone() const { return deviation && *deviation <= rounding(); }
  bool is_constant() const { return spread <= rounding(); }

 private:
  double rounding() const;
};
ScoreStatistics score_statistics(const Tensor<double>& scores, std::span<const double> positions,
                                 bool causal);

/// The names of the four products, and the root mean square of each over all heads and pairs that count.
inline constexpr std::array<const char*, 4> term_names = {"content-content", "content-position",
                                                          "position-content", "position-position"};
std::array<double, 4> term_sizes(const Tensor<double>& terms, bool causal);

}  // namespace ordinal::experiments

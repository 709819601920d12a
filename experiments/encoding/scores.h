// The whole score of each query and key before the softmax, for one token that is repeated: what differs
// between pairs is the work of the encoding, wherever it acts.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "experiments/encoding/effect.h"

namespace ordinal::experiments {

/// The token x that stands at every position, and the projections of a layer.
struct ScoreProbe {
  Tensor<double> token;         // x (d_model) = √d_model · e, e ~ N(0, 0.02²)
  Tensor<double> query_weight;  // W_q (heads·d_head, d_model), entries N(0, 1/d_model)
  Tensor<double> key_weight;    // W_k (n_kv_heads·d_head, d_model), the same
};

/// The same for the same seed.
ScoreProbe random_probe(const ModelShape& shape, std::uint64_t seed);

/// q_i = W_q (x + PE_i), k_i = W_k (x + PE_i), before the encoding acts on queries and keys.
Content probe_content(const Effect<double>& effect, const ScoreProbe& probe);

/// The four products (4, heads, L, L) into which an encoding that acts on the input splits q_i·k_j / √d_head:
///   content-content     (W_q x)·(W_k x)       content-position    (W_q x)·(W_k PE_j)
///   position-content    (W_q PE_i)·(W_k x)    position-position   (W_q PE_i)·(W_k PE_j)
/// the first word is that of the query. 0 where query i does not see key j. They add up to the scores of
/// probe_content(), unless another part of the encoding also adds to the scores.
Tensor<double> score_terms(const Effect<double>& effect, const ScoreProbe& probe);

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

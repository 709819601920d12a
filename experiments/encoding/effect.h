// What an encoding does to one sequence in one layer of attention. Nothing else calls its hooks for a study.
#pragma once

#include <cstdint>
#include <string>

#include "framework/positional/positional_encoding.h"

namespace ordinal::experiments {

/// What attention makes of the tokens of one sequence before the encoding acts.
struct Content {
  Tensor<double> query;       // (L, heads·d_head)
  Tensor<double> key;         // (L, n_kv_heads·d_head)
  Tensor<double> input = {};  // (L, d_model), of the layer; empty: zeros
};

/// Queries and keys are N(0, 1), the same for the same seed.
Content random_content(const ModelShape& shape, Index seq_len, std::uint64_t seed);

/// An encoding at the positions of one sequence, in one layer. Refers to the encoding and its values. All that runs
/// hooks throws PositionError for positions that the encoding cannot serve, and std::invalid_argument for content of
/// another shape.
template <typename T>
struct Effect {
  const PositionalEncoding<T>& encoding;
  const Parameters<T>& values;
  std::string text;  // the encoding as a config names it
  ModelShape shape;
  Positions positions;
  Index layer = 0;

  Index seq_len() const { return positions.seq_len(); }
  bool acts(Place place) const { return acts_on(text, place); }
  void check(const Content& content) const;

  /// x + PE of x (L, d_model).
  Tensor<double> encoded_input(const Tensor<double>& x) const;
  /// PE (L, d_model); empty if the encoding does not act there.
  Tensor<double> input() const;
  /// The angle by which each pair of a head is rotated (L, pairs), in radians, not wrapped; empty if none is.
  Tensor<double> angles() const;
  /// With what the encoding does to queries and keys.
  Content encoded(const Content& content) const;
  /// (heads, L, L), of the first `heads`: `product` times q_i·k_j, plus what the encoding adds to it if `added`. 0
  /// where query i does not see key j.
  Tensor<double> pairs(const Content& content, double product, bool added, Index heads) const;
  /// What is added to the scores (heads, L, L); empty if the encoding does not act there.
  Tensor<double> bias(const Content& content) const;
  /// The whole scores (heads, L, L): q_i·k_j / √d_head of the encoded queries and keys, plus what is added.
  Tensor<double> scores(const Content& content) const;
  /// 1/√d_head.
  double scale() const;
};

/// Calls visit(row, j) for each pair of a query and a key j that it sees, in values (heads·L, L).
void for_each_pair(View<const double> values, bool causal, const auto& visit) {
  for (Index row = 0; row < values.rows; ++row) {
    const Index visible = causal ? row % values.cols + 1 : values.cols;
    for (Index j = 0; j < visible; ++j) visit(row, j);
  }
}

extern template struct Effect<float>;
extern template struct Effect<double>;

}  // namespace ordinal::experiments

// What an encoding does to one sequence in one layer of attention. Studies call its hooks only through this file.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "framework/positional/positional_encoding.h"

namespace ordinal::experiments {

/// What attention computes from the tokens of one sequence before the encoding acts.
struct Content {
  Tensor<double> query;       // (L, heads·d_head)
  Tensor<double> key;         // (L, n_kv_heads·d_head)
  Tensor<double> input = {};  // (L, d_model), input of the layer; empty: zeros
};

/// Queries and keys are N(0, 1), the same for the same seed.
Content random_content(const ModelShape& shape, Index seq_len, std::uint64_t seed);

/// An encoding with parameters of its own, at their initial values.
struct BuiltEncoding {
  BuiltEncoding(const PartList& part, const ModelShape& shape, std::uint64_t seed);

  std::string text;  // the encoding as a config names it
  ModelShape shape;
  ParameterLayout layout;  // as in a model
  std::unique_ptr<PositionalEncoding<double>> encoding;
  Parameters<double> values;
};

/// An encoding at the positions of one sequence, in one layer. Content has a row for each position. Every function that runs
/// hooks throws PositionError for positions that the encoding cannot serve.
struct Effect {
  const BuiltEncoding& of;
  Positions positions;
  Index layer = 0;

  Index seq_len() const { return positions.seq_len(); }
  bool acts(Place place) const { return acts_on(of.text, place); }

  /// x + PE of x (L, d_model).
  Tensor<double> encoded_input(const Tensor<double>& x) const;
  /// PE (L, d_model); empty if the encoding does not act on the input.
  Tensor<double> input() const;
  /// The angle by which the encoding rotates each pair of a head (L, pairs), in radians, not wrapped; empty if it rotates none.
  Tensor<double> angles() const;
  /// Gets a row of pairs() up to the last key that query i sees. Only a few rows are in memory at a time.
  using VisitRow = std::function<void(Index head, Index i, std::span<const double> row)>;
  void visit_pairs(const Content& content, bool products, bool added, const VisitRow& visit) const;
  /// (heads, L, L): q_i·k_j / √d_head after the encoding acts on both, if `products`, plus what the encoding adds to scores, if
  /// `added`. 0 where query i does not see key j.
  Tensor<double> pairs(const Content& content, bool products, bool added) const;
  /// The full scores (heads, L, L).
  Tensor<double> scores(const Content& content) const { return pairs(content, true, true); }
};

/// A token x that is repeated at every position, and the projections of a layer. Any difference between
/// pairs comes from the encoding, wherever it acts. The same for the same seed.
struct ScoreProbe {
  ScoreProbe(const ModelShape& shape, std::uint64_t seed);

  /// q_i = W_q (x_i + PE_i), k_i = W_k (x_i + PE_i), before the encoding acts on queries and keys, and x + PE, the input of the
  /// layer, of tokens x (L, d_model).
  Content content(const Effect& effect, const Tensor<double>& x) const {
    return projected(effect.encoded_input(x));
  }
  /// The same of the repeated token.
  Content content(const Effect& effect) const { return content(effect, repeated(effect.seq_len())); }
  /// The four products (4, heads, L, L) into which an encoding that acts on the input splits q_i·k_j / √d_head:
  ///   content-content     (W_q x)·(W_k x)       content-position    (W_q x)·(W_k PE_j)
  ///   position-content    (W_q PE_i)·(W_k x)    position-position   (W_q PE_i)·(W_k PE_j)
  /// The first word refers to the query. 0 where query i does not see key j. The products add up to the
  /// scores of content(), unless another part of the encoding also adds to the scores.
  Tensor<double> terms(const Effect& effect) const;

  Tensor<double> token;         // x (1, d_model) = √d_model · e, e ~ N(0, 1/d_model)
  Tensor<double> query_weight;  // W_q (heads·d_head, d_model), entries N(0, 1/d_model)
  Tensor<double> key_weight;    // W_k (n_kv_heads·d_head, d_model), the same

 private:
  Tensor<double> repeated(Index rows) const;
  Content projected(const Tensor<double>& x) const;
};

}  // namespace ordinal::experiments

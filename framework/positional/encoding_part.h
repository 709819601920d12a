// A positional encoding tells a transformer the positions of its tokens. It may act in four places and
// nowhere else: the input (x + PE), the query and key (a rotation), the scores of one block of query rows of
// one head (a bias, or a term that depends on q and k), and the values (a vector for each pair of query and
// key). Each place is an interface with a forward and a backward form; an encoding derives from those in which it acts.
//
// To add an encoding: one file in positional/encodings/ and one line in positional/encodings.inc. See alibi.cpp for
// the shortest, t5.cpp for one with parameters and options, and distance_bias.h for what both build on.
#pragma once

#include <limits>
#include <span>
#include <string>
#include <vector>

#include "framework/core/blas.h"
#include "framework/core/decode_cache.h"
#include "framework/core/pass.h"
#include "framework/positional/sight.h"

namespace ordinal {

/// Scores of one block of query rows of one head, before softmax: scores(i, j) = scale · q_i·k_j (+ the
/// encoding's term). Row i is query `first_query + i` of its sequence and sees no keys but j < visible(i); the
/// rest of the row is undefined, and what is written there is ignored. The queries are among the keys: query i
/// has the position of key first_query + i.
template <typename T>
struct ScoreBlock {
  Index layer = 0;  // counted over the attention layers of the model
  Index head = 0;
  Index sequence = 0;
  Index first_key = 0;    // tokens before key 0 that the block leaves out
  Index first_query = 0;  // index of the first row's token among the keys
  Sight sight = {};
  T scale = T(1);                           // 1/√d_head
  View<const T> query;                      // (rows, d_head)
  View<const T> key;                        // (keys, d_head)
  std::span<const double> query_positions;  // (rows)
  std::span<const double> key_positions;    // (keys)

  /// The keys that a row sees: of its own block.
  KeyRange seen(Index row) const { return sight.of(first_query + row, key.rows); }
  Index visible(Index row) const { return seen(row).end; }
  /// Half of a product of rows and keys, if they see no later ones: what right of the diagonal is zero or not needed.
  Triangle half(Triangle::Of of) const { return {sight.causal ? of : Triangle::Of::nothing, first_query}; }
};

/// The rows of a block's keys, among which its queries are, of what an encoding prepared with a row for each token of the run;
/// with a cache, of the state to which it appended them.
template <typename T>
View<const T> rows_of_keys(const ScoreBlock<T>& block, View<const T> prepared, StateSlot appended,
                           const Pass<T>& pass) {
  const DecodeCache<T>* cache = pass.run().cache;
  const View<const T> rows =
      cache != nullptr ? cache->rows(appended, block.sequence) : pass.rows_of(prepared, block.sequence);
  return rows.row_range(block.first_key, block.key.rows);
}

/// A score so low that its exponential is 0.
template <typename T>
inline constexpr T masked_score = std::numeric_limits<T>::lowest() / T(2);

/// The gradient of the loss in the scores of a block, and where an encoding adds what flows back into q and
/// k. What flows through the product itself (scale · dS K and scale · dSᵀ Q) is added by the attention layer.
template <typename T>
struct ScoreGradient {
  View<const T> scores;  // (rows, keys); zero where a row does not see a key
  View<T> query;         // (rows, d_head), to be added to
  View<T> key;           // (keys, d_head), to be added to
};

/// One encoding: what it is, and where runs begin and end. It derives from those of the places below in which it acts.
template <typename T>
class EncodingPart {
 public:
  EncodingPart() = default;
  EncodingPart(const EncodingPart&) = delete;
  EncodingPart& operator=(const EncodingPart&) = delete;
  virtual ~EncodingPart() = default;

  /// The constants in effect for this training length: "k 16"; empty if there are none.
  virtual std::string constants() const { return ""; }
  /// What a legend must say so that a score past the training length is not misread; empty if nothing.
  virtual std::string note() const { return ""; }
  /// Radians per position by which each pair of a head's dimensions is rotated; empty if none is.
  virtual std::vector<double> frequencies(const Stretch& /*stretch*/) const { return {}; }
  /// Radians per position of the sines that are added to the input, 0 where an option leaves them out; empty if
  /// none are.
  virtual std::vector<double> input_frequencies() const { return {}; }

  /// Whether further tokens leave the encoding of earlier ones as it is. If not, keys and values of earlier
  /// tokens cannot be kept in a cache.
  virtual bool keeps_prefixes() const { return true; }
  /// Whether it replaces features of the input instead of adding to them. Of several encodings such a one acts first,
  /// whatever their order.
  virtual bool replaces_features() const { return false; }

  /// Fills the parameter at `slot`, whose initial values `own` holds, from a trained one with another number of rows,
  /// for fine-tuning at another length. False: that has no meaning for this parameter.
  virtual bool resize(const Slot& /*slot*/, View<const T> /*trained*/, View<T> /*own*/) const {
    return false;
  }

  /// Called once when a run begins, before anything else: what depends on positions alone (angles, rows of
  /// sines) is computed here for all layers and both directions, in memory of the pass, and kept with
  /// pass.prepare().
  virtual void begin_run(Pass<T>& /*pass*/) const {}
  /// Called once after all other backward forms.
  virtual void end_backward(Pass<T>& /*pass*/) const {}
};

/// The input: x (tokens, d_model) -> x + PE. The position of row b·seq_len + t is pass.run().positions.of(b)[t].
template <typename T>
class OnInput {
 public:
  virtual View<const T> encode_input(View<const T> x, Pass<T>& pass) const = 0;
  virtual View<const T> encode_input_backward(View<const T> dy, Pass<T>& pass) const = 0;

 protected:
  ~OnInput() = default;
};

/// Query (tokens, heads·d_head) and key (tokens, n_kv_heads·d_head), changed in place. Backward does the same to their
/// gradients: for a rotation, by the opposite angle.
template <typename T>
class OnQueryKey {
 public:
  virtual void encode_query_key(View<T> query, View<T> key, const LayerAt& at, Pass<T>& pass) const = 0;
  virtual void encode_query_key_backward(View<T> d_query, View<T> d_key, const LayerAt& at,
                                         Pass<T>& pass) const = 0;

 protected:
  ~OnQueryKey() = default;
};

/// Scores (rows, keys) of one block, to be added to. Blocks come again in backward, in any order: nothing is saved, and
/// backward recomputes what it needs from the block.
template <typename T>
class OnScores {
 public:
  virtual void encode_scores(const ScoreBlock<T>& block, View<T> scores, Pass<T>& pass) const = 0;
  virtual void encode_scores_backward(const ScoreBlock<T>& block, const ScoreGradient<T>& gradient,
                                      Pass<T>& pass) const = 0;

 protected:
  ~OnScores() = default;
};

/// Values: a vector a_ij is added to the value of key j as query i sees it. The weights w (rows, keys) are zero where a row
/// does not see a key; their rows need not sum to 1, because attention divides `out` afterwards.
template <typename T>
class OnValues {
 public:
  /// Adds Σ_j w_ij a_ij to row i of `out` (rows, d_head).
  virtual void encode_values(const ScoreBlock<T>& block, View<const T> weights, View<T> out,
                             Pass<T>& pass) const = 0;
  /// dw_ij += do_i·a_ij.
  virtual void encode_values_backward(const ScoreBlock<T>& block, View<const T> d_out, View<T> d_weights,
                                      Pass<T>& pass) const = 0;
  /// Adds to the gradients of the parameters of a_ij, da_ij = w_ij do_i. Here, too, a row of weights need not sum to 1:
  /// its do_i is then divided by the sum.
  virtual void learn_values(const ScoreBlock<T>& block, View<const T> weights, View<const T> d_out,
                            Pass<T>& pass) const = 0;

 protected:
  ~OnValues() = default;
};

/// No place to act, but what depends on the content of tokens: reads the input x (tokens, d_model) of each attention layer
/// before the layer's query, key, scores and values are encoded. Keeps what that needs with pass.prepare(), and may save
/// for its backward, which comes after theirs and adds to dx.
template <typename T>
class ReadsLayerInput {
 public:
  virtual void encode_layer(View<const T> x, Index layer, Pass<T>& pass) const = 0;
  virtual void encode_layer_backward(View<T> dx, Index layer, Pass<T>& pass) const = 0;

 protected:
  ~ReadsLayerInput() = default;
};

}  // namespace ordinal

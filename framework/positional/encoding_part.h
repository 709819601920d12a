// A positional encoding may act at four places: the input (x + PE), the query and key (a rotation), the scores of one head in one
// block of query rows (a bias, or a term that depends on q and k), and the values (one vector per query-key pair). It overrides the
// forward and backward forms of the places where it acts.
//
// To add an encoding, write one file in positional/encodings/ and one line in positional/encodings.inc. See alibi.cpp for
// the shortest example, t5.cpp for one with parameters and options, and distance_bias.h for their base class.
#pragma once

#include <cmath>
#include <functional>
#include <limits>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "framework/core/decode_cache.h"
#include "framework/core/pass.h"
#include "framework/math/blas.h"
#include "framework/positional/sight.h"

namespace ordinal {

/// The scores of one head in one block of query rows, before softmax: scores(i, j) = scale · q_i·k_j (+ the
/// encoding's term). Row i is the token of key `first_query + i`. It sees the keys in seen(i), all below visible(i). From visible(i)
/// on, the row is undefined. Under a window it also has the scores of keys below seen(i).first. What an encoding writes to either
/// is ignored: AttentionWeights get masked_score for the keys below seen(i).first.
template <typename T>
struct ScoreBlock {
  Index layer = 0;  // counted over the attention layers of the model
  Index head = 0;
  Index sequence = 0;
  Index first_key = 0;    // number of tokens before key 0 that the block omits
  Index first_query = 0;  // index of the first row's token among the keys
  Sight sight = {};
  T scale = T(1);                         // 1/√d_head
  View<const T> query;                    // (rows, d_head)
  View<const T> key;                      // (keys, d_head)
  std::span<const double> key_positions;  // (keys)

  /// The keys of the block that a row sees.
  KeyRange seen(Index row) const { return sight.of(first_query + row, key.rows); }
  Index visible(Index row) const { return seen(row).end; }
  /// If rows see no later keys: the half of a product of rows and keys, right of the diagonal, that is zero or unused.
  Triangle half(Triangle::Of of) const { return {sight.causal ? of : Triangle::Of::nothing, first_query}; }
};

/// A score so low that its exponential is 0.
template <typename T>
inline constexpr T masked_score = std::numeric_limits<T>::lowest() / T(2);

/// The gradient of the scores of a block, and those of q and k, to which an encoding adds its own terms. The attention layer adds
/// those of the product itself (scale · dS K and scale · dSᵀ Q).
template <typename T>
struct ScoreGradient {
  View<const T> scores;  // (rows, keys); zero where a row does not see a key
  View<T> query;         // (rows, d_head), to be added to
  View<T> key;           // (keys, d_head), to be added to
};

/// Distances p_i - p_j of `near` or more, which then count in groups of positions. Encodings of distances read them (maps_distances).
struct FarDistances {
  double near = std::numeric_limits<double>::infinity();
  double group = 1.0;  // positions in a group; infinite: all these distances are `near`

  bool contains(double distance) const { return distance >= near; }
  // Where query and key stand for them: the difference is near - ⌊near/G⌋ + ⌊p_i/G⌋ - ⌊p_j/G⌋.
  double query(double position) const { return key(position) + near - std::floor(near / group); }
  double key(double position) const { return std::floor(position / group); }
  double distance(double i, double j) const { return contains(i - j) ? query(i) - key(j) : i - j; }
};

/// How rotary encodings lower their frequencies for sequences `factor` times as long as in training. Other
/// encodings would compress positions instead. With factor 1, frequencies do not change.
struct Stretch {
  double factor = 1.0;
  /// θ_i of the d/2 pairs of d rotated dimensions.
  std::function<std::vector<double>(Index d, double base)> frequencies = {};
  double magnitude = 1.0;  // factor on the rotated pairs
  double unchanged = 0.0;  // positions below this rotate as without a stretch
  FarDistances far = {};
};

/// The stretch of positions; without one, a Stretch of factor 1. Valid as long as the positions or a copy.
const Stretch& stretch_of(const Positions& positions);

/// One encoding. By default it does nothing.
template <typename T>
class EncodingPart {
 public:
  EncodingPart() = default;
  EncodingPart(const EncodingPart&) = delete;
  EncodingPart& operator=(const EncodingPart&) = delete;
  virtual ~EncodingPart() = default;

  /// What a legend must say so that a score past the training length is not misread; empty if nothing.
  virtual std::string note() const { return ""; }
  /// Radians per position by which each pair of a head's dimensions is rotated; empty if none is. Throws ConfigError for
  /// a stretch that the pairs cannot have.
  virtual std::vector<double> frequencies(const Stretch& /*stretch*/) const { return {}; }
  /// Radians per position of the sines added to the input, 0 where an option leaves them out; empty if there are none.
  virtual std::vector<double> input_frequencies() const { return {}; }

  /// The rows of its table by position or distance that a sequence at these positions reads. Throws PositionError as a run does.
  virtual std::set<Index> rows_read(std::span<const double> /*positions*/, bool /*causal*/) const {
    return {};
  }

  /// Whether appending tokens leaves the encoding of earlier ones unchanged, so that their keys and values can be cached.
  virtual bool keeps_prefixes() const { return true; }
  /// Whether it replaces features of the input instead of adding to them. Such an encoding acts before all others.
  virtual bool replaces_features() const { return false; }

  /// For fine-tuning at another length: fills the parameter at `slot`, which has its initial values, from a trained one with
  /// another number of rows. Returns false if this makes no sense for the parameter.
  virtual bool resize(const Slot& /*slot*/, View<const T> /*trained*/, View<T> /*own*/) const {
    return false;
  }

  /// Called once when a run begins, before anything else. Computes what depends only on positions (angles, rows of sines) for all
  /// layers and both directions, and keeps it in RunRows.
  virtual void begin_run(Pass<T>& /*pass*/) const {}
  /// Called once after all other backward forms.
  virtual void end_backward(Pass<T>& /*pass*/) const {}

  // The input: x (tokens, d_model) -> x + PE. The position of row b·seq_len + t is pass.run().positions.of(b)[t].
  virtual View<const T> encode_input(View<const T> x, Pass<T>& /*pass*/) const { return x; }
  virtual View<const T> encode_input_backward(View<const T> dy, Pass<T>& /*pass*/) const { return dy; }

  // Query (tokens, heads·d_head) and key (tokens, n_kv_heads·d_head), changed in place. Backward changes their
  // gradients in place; a rotation turns them by the opposite angle.
  virtual void encode_query_key(View<T> /*query*/, View<T> /*key*/, const LayerAt& /*at*/,
                                Pass<T>& /*pass*/) const {}
  virtual void encode_query_key_backward(View<T> /*d_query*/, View<T> /*d_key*/, const LayerAt& /*at*/,
                                         Pass<T>& /*pass*/) const {}

  // Adds to the scores (rows, keys) of one block. Backward visits the blocks again, in any order, and recomputes what it needs.
  virtual void encode_scores(const ScoreBlock<T>& /*block*/, View<T> /*scores*/, Pass<T>& /*pass*/) const {}
  virtual void encode_scores_backward(const ScoreBlock<T>& /*block*/, const ScoreGradient<T>& /*gradient*/,
                                      Pass<T>& /*pass*/) const {}

  // Values: adds a vector a_ij to the value of key j as query i sees it. The weights w (rows, keys) are zero where a row does
  // not see a key. Their rows need not sum to 1, because attention divides `out` afterwards.
  /// Adds Σ_j w_ij a_ij to row i of `out` (rows, d_head).
  virtual void encode_values(const ScoreBlock<T>& /*block*/, View<const T> /*weights*/, View<T> /*out*/,
                             Pass<T>& /*pass*/) const {}
  /// dw_ij += do_i·a_ij.
  virtual void encode_values_backward(const ScoreBlock<T>& /*block*/, View<const T> /*d_out*/,
                                      View<T> /*d_weights*/, Pass<T>& /*pass*/) const {}
  /// Adds to the gradients of the parameters of a_ij, da_ij = w_ij do_i. If a row of weights does not sum to 1, its do_i is
  /// already divided by the sum.
  virtual void learn_values(const ScoreBlock<T>& /*block*/, View<const T> /*weights*/,
                            View<const T> /*d_out*/, Pass<T>& /*pass*/) const {}

  // Not a place, but for encodings that depend on the content of tokens. Reads the input x (tokens, d_model) of each attention
  // layer first, and keeps what the places need in RunRows or TokenRows. Its own backward runs last and adds to dx.
  virtual void encode_layer(View<const T> /*x*/, Index /*layer*/, Pass<T>& /*pass*/) const {}
  virtual void encode_layer_backward(View<T> /*dx*/, Index /*layer*/, Pass<T>& /*pass*/) const {}
};

}  // namespace ordinal

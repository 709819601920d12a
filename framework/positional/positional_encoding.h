// A positional encoding tells a transformer the positions of its tokens. It may act in four places and
// nowhere else: the input (x + PE), the query and key (a rotation), the scores of one block of query rows of
// one head (a bias, or a term that depends on q and k), and the values (a vector for each pair of query and
// key). Each place has hooks for forward and backward, all of them doing nothing by default; an encoding
// overrides what it needs.
//
// To add an encoding: one file that defines it, and one line in positional/encodings.inc. See alibi.cpp for
// the shortest, t5.cpp for one with parameters and options, and distance_bias.h for what both build on.
#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "framework/core/options.h"
#include "framework/core/part.h"
#include "framework/core/pass.h"
#include "framework/core/registry.h"
#include "framework/core/sight.h"

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
};

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

template <typename T>
class PositionalEncoding {
 public:
  PositionalEncoding() = default;
  PositionalEncoding(const PositionalEncoding&) = delete;
  PositionalEncoding& operator=(const PositionalEncoding&) = delete;
  virtual ~PositionalEncoding() = default;

  /// The attention that it was built for, if it acts on queries, keys or scores and make_positional_encoding() built
  /// it; attention of other heads, widths or direction refuses it.
  const std::optional<ModelShape>& attention_shape() const { return attention_shape_; }

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

  /// Fills the parameter at `slot`, whose initial values `own` holds, from a trained one with another number of rows,
  /// for fine-tuning at another length. False: that has no meaning for this parameter.
  virtual bool resize(const Slot& /*slot*/, View<const T> /*trained*/, View<T> /*own*/) const {
    return false;
  }

  /// Called once when a run begins, before all other hooks: what depends on positions alone (angles, rows of
  /// sines) is computed here for all layers and both directions, in memory of the pass, and kept with
  /// pass.prepare().
  virtual void begin_run(Pass<T>& pass) const;

  /// Whether it replaces features of the input instead of adding to them. Of several encodings such a one acts first,
  /// whatever their order.
  virtual bool replaces_features() const { return false; }
  /// x (tokens, d_model) -> x + PE. The position of row b·seq_len + t is pass.run().positions.of(b)[t].
  virtual View<const T> encode_input(View<const T> x, Pass<T>& pass) const;
  virtual View<const T> encode_input_backward(View<const T> dy, Pass<T>& pass) const;

  /// Called by each attention layer before the hooks below, with its input x (tokens, d_model), for what depends on
  /// the content of tokens. Keeps what those hooks need with pass.prepare(), and may save for its backward, which is
  /// called after theirs and adds to dx.
  virtual void encode_layer(View<const T> x, Index layer, Pass<T>& pass) const;
  virtual void encode_layer_backward(View<T> dx, Index layer, Pass<T>& pass) const;

  /// Changes query (tokens, heads·d_head) and key (tokens, n_kv_heads·d_head) in place. Backward does the
  /// same to their gradients: for a rotation, by the opposite angle.
  virtual void encode_query_key(View<T> query, View<T> key, Index layer, Pass<T>& pass) const;
  virtual void encode_query_key_backward(View<T> d_query, View<T> d_key, Index layer, Pass<T>& pass) const;

  /// Adds to scores (rows, keys) of one block. Blocks come again in backward, in any order: a hook saves
  /// nothing, and backward recomputes what it needs from the block.
  virtual void encode_scores(const ScoreBlock<T>& block, View<T> scores, Pass<T>& pass) const;
  virtual void encode_scores_backward(const ScoreBlock<T>& block, const ScoreGradient<T>& gradient,
                                      Pass<T>& pass) const;

  /// Adds Σ_j w_ij a_ij to row i of `out` (rows, d_head), for an encoding that adds a vector a_ij to the value of
  /// key j as query i sees it. The weights w (rows, keys) are zero where a row does not see a key; their rows need
  /// not sum to 1, because attention divides `out` afterwards.
  virtual void encode_values(const ScoreBlock<T>& block, View<const T> weights, View<T> out,
                             Pass<T>& pass) const;
  /// dw_ij += do_i·a_ij.
  virtual void encode_values_backward(const ScoreBlock<T>& block, View<const T> d_out, View<T> d_weights,
                                      Pass<T>& pass) const;
  /// Adds to the gradients of the parameters of a_ij, da_ij = w_ij do_i. Here, too, a row of weights need not sum to 1:
  /// its do_i is then divided by the sum.
  virtual void learn_values(const ScoreBlock<T>& block, View<const T> weights, View<const T> d_out,
                            Pass<T>& pass) const;

 private:
  template <typename U>
  friend std::unique_ptr<PositionalEncoding<U>> make_positional_encoding(const std::string& text,
                                                                         const ModelShape& shape,
                                                                         const Scope& scope);

  std::optional<ModelShape> attention_shape_;
};

/// Where an encoding acts.
enum class Place { input, query_key, scores, values };

/// What an encoding does with the positions that tokens are given.
///   nothing   it does not read them
///   any       it takes real numbers, by themselves or as distances
///   rotary    it takes real numbers, and its frequencies can be stretched (Stretch)
enum class PositionUse { nothing, any, rotary };

/// One entry of the registry: the description of an encoding, and how to build it.
struct EncodingEntry {
  std::string name;
  std::vector<Place> acts_on;
  std::string formula = {};           // one line
  std::string parameters = {"none"};  // what is learned, with shapes
  std::string beyond = {};            // what it does past the training length
  std::string source = {};            // paper, section
  PositionUse positions = PositionUse::any;
  bool shift_invariant = false;  // a common offset of all positions changes nothing
  bool causal_only = false;      // undefined where tokens see later ones
  std::string shift_limit = {};  // what shift_invariant does not hold for; empty if nothing
  std::string definition =
      {};  // all that it takes to write the encoding again; lines of up to 110 characters

  // Filled in by describe_encoding().
  std::vector<OptionSpec> options = {};
  std::vector<OptionSpec> (*resolve)(const Part&, const ModelShape&) = nullptr;
  std::unique_ptr<PositionalEncoding<float>> (*build_float)(const Part&, const ModelShape&,
                                                            const Scope&) = nullptr;
  std::unique_ptr<PositionalEncoding<double>> (*build_double)(const Part&, const ModelShape&,
                                                              const Scope&) = nullptr;
};

/// The entry with its options and builders, for a class template Encoding<T> with a constructor
/// (const ModelShape&, const Options&, const Scope&).
template <template <typename> class Encoding, typename Options = NoOptions>
EncodingEntry describe_encoding(EncodingEntry entry) {
  entry.options = specs_of<Options>();
  entry.resolve = [](const Part& part, const ModelShape& shape) {
    return specs_of(resolved_options<Options>(part.name, part.options, shape));
  };
  entry.build_float = [](const Part& part, const ModelShape& shape, const Scope& scope) {
    const auto options = resolved_options<Options>(part.name, part.options, shape);
    return std::unique_ptr<PositionalEncoding<float>>(
        std::make_unique<Encoding<float>>(shape, options, scope));
  };
  entry.build_double = [](const Part& part, const ModelShape& shape, const Scope& scope) {
    const auto options = resolved_options<Options>(part.name, part.options, shape);
    return std::unique_ptr<PositionalEncoding<double>>(
        std::make_unique<Encoding<double>>(shape, options, scope));
  };
  return entry;
}

/// All encodings that can be named, in the order of encodings.inc.
const Registry<EncodingEntry>& encodings();

/// Adds an encoding of a user's: register_encoding(describe_encoding<Recency, RecencyOptions>({.name = …})).
/// Before the first use of a config. Throws std::invalid_argument for a name that is taken.
void register_encoding(EncodingEntry entry);

/// The parts of "sinusoidal+t5(buckets=16)". Throws ConfigError for a part that is unknown or there twice.
std::vector<Part> encoding_parts(const std::string& text);
/// And their entries.
std::vector<EncodingEntry> find_encodings(const std::string& text);
/// Whether any part of it acts there.
bool acts_on(const std::string& text, Place place);
/// "query, key", "scores", "nothing": where it acts, as text.
std::string places_text(const std::vector<Place>& places);

/// Builds the encoding that `text` names; the parameters of each part are declared in `scope` under the
/// part's name. Throws ConfigError for options that it cannot have.
template <typename T>
std::unique_ptr<PositionalEncoding<T>> make_positional_encoding(const std::string& text,
                                                                const ModelShape& shape, const Scope& scope);

extern template class PositionalEncoding<float>;
extern template class PositionalEncoding<double>;

}  // namespace ordinal

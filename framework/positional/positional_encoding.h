// A positional encoding tells a transformer where a token stands. It may touch a transformer in three places
// and nowhere else: the input (x + PE), the query and key (a rotation), and the scores of one block of query
// rows of one head (a bias, or a term that depends on q and k). Each place has one forward and one backward
// hook, all of them doing nothing by default; an encoding overrides what it needs.
//
// An encoding of your own: one file that defines it, and one line in positional/encodings.inc. See
// sinusoidal.cpp for the simplest, learned.cpp for one with parameters.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "framework/core/pass.h"

namespace ordinal {

/// What an encoding is built from: the shape of the model it serves, and the settings of section
/// `positional`. A 0 stands for a value that follows from the training length.
struct EncodingConfig {
  std::string name = "sinusoidal";  // a registered name, or several joined: "sinusoidal+learned"
  Index d_model = 64;
  Index heads = 4;
  Index n_kv_heads = 4;
  Index layers = 2;
  bool causal = true;
  Index train_length = 64;          // longest sequence seen in training
  Index max_seq_len = 64;           // rows of a learned table
  Index longest = 0;                // sines and cosines are kept for positions below it; others are computed
  double base = 10000.0;            // longest wavelength is 2π·base
  std::string overflow = "error";   // learned, past its table: error, clamp, interpolate or untrained
  bool pad_odd = false;             // sinusoidal with odd d_model: encode d_model + 1 columns, drop the last
  double dropout_high = 0.0;        // sinusoidal: chance to drop a column of PE in training, the first
  double dropout_low = 0.0;         // and the last one
  std::string precision = "float";  // how kept sines and cosines are stored: float, half or bfloat16
  std::string pairing = "interleaved";  // rope, xpos: pairs (2i, 2i+1), or "half": (i, i + d_rotary/2)
  double rotary_fraction = 1.0;         // rope, xpos: share of a head's dimensions that is rotated
  double yarn_alpha = 1.0;              // rope: turns within the training length below which a pair is slowed
  double yarn_beta = 0.0;               // rope: turns above which a pair is left alone; 0: min(32, L/4π)
  double xpos_gamma = 0.4;              // xpos: ζ_i = (2i/d + γ)/(1 + γ)
  double xpos_scale = 0.0;              // xpos: positions in which a score fades by ζ; 0: L/2
  double slope_scale = 1.0;             // alibi: factor on all slopes
  Index buckets = 32;                   // t5: rows of its table
  Index max_distance = 0;               // t5: where the last bucket begins; t5_clipped, shaw: k; 0: see there
  Index hidden = 32;                    // fire: hidden units of its MLP
  Index cope_positions = 0;             // cope: rows of its table; 0: L

  Index d_head() const { return d_model / heads; }
};

/// Scores of one block of query rows of one head, before softmax: scores(i, j) = scale · q_i·k_j (+ the
/// encoding's term). Row i is query `first_query + i` of its sequence and sees the keys j < visible(i); the
/// rest of the row holds nothing, and what is written there is dropped.
template <typename T>
struct ScoreBlock {
  Index layer = 0;
  Index head = 0;
  Index first_query = 0;  // index of the first row's token among the keys
  bool causal = true;
  T scale = T(1);                           // 1/√d_head
  View<const T> query;                      // (rows, d_head)
  View<const T> key;                        // (keys, d_head)
  std::span<const double> query_positions;  // (rows)
  std::span<const double> key_positions;    // (keys)

  Index visible(Index row) const { return causal ? first_query + row + 1 : key.rows; }
};

/// The gradient of the loss in the scores of a block, and where an encoding adds what flows back into q and
/// k. The products' own share (scale · dS K and scale · dSᵀ Q) is not the encoding's business.
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

  /// The constants in effect, worked out for the training length: "k 16"; empty if there are none.
  virtual std::string constants() const { return ""; }
  /// Radians per position by which each pair of a head's dimensions is turned; empty if nothing is.
  virtual std::vector<double> frequencies(const Stretch& /*stretch*/) const { return {}; }

  /// Whether what a token is given stays the same when more tokens follow. If not, keys and values of earlier
  /// tokens cannot be kept in a cache.
  virtual bool keeps_prefixes() const { return true; }

  /// x (tokens, d_model) -> x + PE. Row b·seq_len + t stands at pass.run().positions.of(b)[t].
  virtual View<const T> encode_input(View<const T> x, Pass<T>& pass) const;
  virtual View<const T> encode_input_backward(View<const T> dy, Pass<T>& pass) const;

  /// Changes query (tokens, heads·d_head) and key (tokens, n_kv_heads·d_head) in place. Backward does the
  /// same to their gradients: for a rotation, by the opposite angle.
  virtual void encode_query_key(View<T> query, View<T> key, Index layer, Pass<T>& pass) const;
  virtual void encode_query_key_backward(View<T> d_query, View<T> d_key, Index layer, Pass<T>& pass) const;

  /// Adds to scores (rows, keys) of one block. Blocks come again in backward, in any order: a hook saves
  /// nothing, and backward recomputes what it needs from the block.
  virtual void encode_scores(const ScoreBlock<T>& block, View<T> scores, Pass<T>& pass) const;
  virtual void encode_scores_backward(const ScoreBlock<T>& block, const ScoreGradient<T>& gradient,
                                      Pass<T>& pass) const;
};

/// What an encoding does with the positions that tokens are given.
///   nothing   it does not read them
///   any       it takes real numbers, by themselves or as distances
///   rotary    so does it, and its frequencies can be stretched (Stretch)
enum class PositionUse { nothing, any, rotary };

/// One line of the registry: what there is to know of an encoding, and how to build it.
struct EncodingEntry {
  std::string name;
  std::string acts_on;     // "input", "query, key", "scores", "nothing": what is drawn follows it
  std::string formula;     // one line
  std::string parameters;  // what is learned, with shapes; "none"
  std::string beyond;      // what it does past the training length
  std::string source;      // paper, section
  PositionUse positions = PositionUse::any;
  bool shift_invariant = false;  // moving all positions by the same amount changes nothing
  bool causal_only = false;      // has no meaning where tokens see later ones
  /// Throws ConfigError for settings that the encoding cannot have.
  std::unique_ptr<PositionalEncoding<float>> (*build_float)(const EncodingConfig&, const Scope&) = nullptr;
  std::unique_ptr<PositionalEncoding<double>> (*build_double)(const EncodingConfig&, const Scope&) = nullptr;
};

/// The entry with its two builders, for a class template Encoding<T> with a constructor (config, scope).
template <template <typename> class Encoding>
EncodingEntry describe_encoding(EncodingEntry entry) {
  entry.build_float = [](const EncodingConfig& config, const Scope& scope) {
    return std::unique_ptr<PositionalEncoding<float>>(std::make_unique<Encoding<float>>(config, scope));
  };
  entry.build_double = [](const EncodingConfig& config, const Scope& scope) {
    return std::unique_ptr<PositionalEncoding<double>>(std::make_unique<Encoding<double>>(config, scope));
  };
  return entry;
}

/// All registered encodings, in the order of registry.cpp.
const std::vector<EncodingEntry>& encoding_registry();

/// The parts of a name: "sinusoidal+t5" -> its two entries. Throws ConfigError for a part that is unknown,
/// listing the known ones, or there twice.
std::vector<EncodingEntry> find_encodings(const std::string& name);

/// Builds the encoding that config.name says; its parameters are declared in `scope` under the encoding's
/// name.
template <typename T>
std::unique_ptr<PositionalEncoding<T>> make_positional_encoding(const EncodingConfig& config,
                                                                const Scope& scope);

extern template class PositionalEncoding<float>;
extern template class PositionalEncoding<double>;

}  // namespace ordinal

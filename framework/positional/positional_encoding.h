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
/// `positional`.
struct EncodingConfig {
  std::string name = "sinusoidal";  // a registered name, or several joined: "sinusoidal+learned"
  Index d_model = 64;
  Index heads = 4;
  Index n_kv_heads = 4;
  Index layers = 2;
  bool causal = true;
  Index train_length = 64;         // longest sequence seen in training
  Index max_seq_len = 64;          // rows of a learned or cached table
  double base = 10000.0;           // longest wavelength is 2π·base
  std::string overflow = "error";  // learned, past its table: error, clamp, interpolate or untrained
  bool pad_odd = false;            // sinusoidal with odd d_model: encode d_model + 1 columns, drop the last

  Index d_head() const { return d_model / heads; }
};

/// Scores of one block of query rows of one head, before softmax: scores(i, j) = scale · q_i·k_j (+ the
/// encoding's term). Row i is query `first_query + i` of its sequence and sees the keys j < visible(i); the
/// rest of the row is not to be read or written.
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

/// One line of the registry: what there is to know of an encoding, and how to build it.
struct EncodingEntry {
  std::string name;
  std::string acts_on;  // "input", "query, key", "scores", "nothing"
  std::string summary;  // one line: the formula
  std::string beyond;   // what it does past the training length
  std::string source;   // paper, section
  /// Throws ConfigError for settings that the encoding cannot have.
  std::unique_ptr<PositionalEncoding<float>> (*build_float)(const EncodingConfig&, const Scope&) = nullptr;
  std::unique_ptr<PositionalEncoding<double>> (*build_double)(const EncodingConfig&, const Scope&) = nullptr;
};

/// The entry's two builders for a class template Encoding<T> with a constructor (config, scope).
template <template <typename> class Encoding>
EncodingEntry describe_encoding(std::string name, std::string acts_on, std::string summary,
                                std::string beyond, std::string source) {
  EncodingEntry entry{std::move(name), std::move(acts_on), std::move(summary), std::move(beyond),
                      std::move(source)};
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

/// The parts of a name: "sinusoidal+t5" -> its two entries. Throws ConfigError for an unknown name, listing
/// the known ones.
std::vector<EncodingEntry> find_encodings(const std::string& name);

/// Builds the encoding that config.name says; its parameters are declared in `scope` under the encoding's
/// name.
template <typename T>
std::unique_ptr<PositionalEncoding<T>> make_positional_encoding(const EncodingConfig& config,
                                                                const Scope& scope);

extern template class PositionalEncoding<float>;
extern template class PositionalEncoding<double>;

}  // namespace ordinal

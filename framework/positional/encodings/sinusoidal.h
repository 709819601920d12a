// The sinusoidal encoding (Vaswani et al. 2017): fixed sines and cosines at geometrically spaced frequencies.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "framework/positional/positional_encoding.h"
#include "framework/positional/sinusoid_table.h"

namespace ordinal {

/// PE(pos, 2i) = sin(pos·ω_i), PE(pos, 2i+1) = cos(pos·ω_i), §3.5: (positions, d_model). Throws like sinusoidal_frequencies().
Tensor<double> sinusoidal_positional_encoding(std::span<const double> positions, Index d_model,
                                              double base = 10000.0);
/// The same for the positions 0 … seq_len - 1.
inline Tensor<double> sinusoidal_positional_encoding(Index seq_len, Index d_model, double base = 10000.0) {
  return sinusoidal_positional_encoding(Positions::contiguous(1, seq_len).of(0), d_model, base);
}

struct SinusoidalOptions {
  SinusoidOptions sines;
  std::string functions = "both";
  std::string layout = "interleaved";
  Index concatenated = 0;
  double scale_pe = 1.0;
  bool pad_odd = false;
  double band_from = 0.0;
  double band_to = 1.0;
  double test_band_from = 0.0;
  double test_band_to = 1.0;
  double dropout_high = 0.0;
  double dropout_low = 0.0;

  void visit(OptionVisitor& v);
  /// Throws as columns_of() does.
  void resolve(const ModelShape& shape);
};

/// The columns of PE, as many as its width: d_model, or `concatenated`.
struct SinusoidalColumns {
  std::vector<Sinusoid> sinusoids;
  std::vector<double> in_training;  // 1 for columns in band_from … band_to, else 0
  std::vector<double> in_test;      // the same for the intersection with test_band_from … test_band_to
  std::vector<double> dropout;      // probability of each column
  std::vector<double> tested;       // each frequency once, 0 outside the bands that tests keep

  Index width() const { return std::ssize(sinusoids); }
};

/// The columns that options with a base define. Throws ConfigError for pairs of an odd width without pad_odd, layout = halves
/// with a single function, a concatenated PE at least as wide as the model, and a band without frequencies.
SinusoidalColumns columns_of(const ModelShape& shape, const SinusoidalOptions& options);

/// x + scale_pe · PE, with the variants of the definition at the end of sinusoidal.cpp. Rows for whole positions up to the
/// longest of the shape come from a table (rows_to_keep); all others are computed, to the same bits. `options` must be resolved.
template <typename T>
class SinusoidalPositionalEncoding final : public EncodingPart<T> {
 public:
  SinusoidalPositionalEncoding(const ModelShape& shape, const SinusoidalOptions& options, const Scope& scope);
  /// Throws ConfigError for an odd width, and std::invalid_argument like sinusoidal_frequencies().
  SinusoidalPositionalEncoding(Index max_seq_len, Index d_model, double base = 10000.0);

  std::vector<double> input_frequencies() const override { return columns_.tested; }
  bool replaces_features() const override { return columns_.width() < d_model_; }
  View<const T> encode_input(View<const T> x, Pass<T>& pass) const override;
  View<const T> encode_input_backward(View<const T> dy, Pass<T>& pass) const override;

  /// PE of positions 0 … seq_len - 1 in tests, also past max_seq_len: (seq_len, d_model), or (seq_len, concatenated).
  Tensor<T> get_encoding(Index seq_len) const;
  /// encode_input() of x (B, L, d_model) at positions offset … offset + L - 1. Throws std::invalid_argument for
  /// another shape.
  Tensor<T> forward(const Tensor<T>& x, double offset = 0.0) const;

 private:
  View<const T> factors_of(Index sequence, Pass<T>& pass) const;

  Index d_model_;
  T scale_pe_ = T(1);
  SinusoidalColumns columns_;
  SinusoidTable<T> table_;
  std::uint32_t purpose_ = 0;
};

}  // namespace ordinal

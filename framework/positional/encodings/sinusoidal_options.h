// The options of the sinusoidal encoding, and the columns that they lead to. The encoding itself is in
// sinusoidal.h.
#pragma once

#include <string>
#include <vector>

#include "framework/positional/sinusoid_table.h"

namespace ordinal {

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
  /// Throws ConfigError for pairs of an odd width without pad_odd, layout = halves with a single function, a
  /// concatenated PE at least as wide as the model, and a band without frequencies.
  void resolve(const ModelShape& shape);
};

/// The frequencies first ≤ i < end of `count`.
struct FrequencyBand {
  Index first = 0;
  Index end = 0;
  Index count = 0;
  bool is_all() const { return first == 0 && end == count; }
  bool is_empty() const { return first >= end; }
};

/// What the columns of PE hold, in the order of the table.
struct SinusoidalColumns {
  Index width = 0;                  // of PE: d_model, or `concatenated`
  std::vector<double> frequencies;  // radians per position; the last column of an odd width is unused
  SinusoidLayout layout = SinusoidLayout::interleaved;
  FrequencyBand test_band;             // the intersection of both bands
  std::vector<char> in_training = {};  // 1 for columns in band_from … band_to, else 0; empty if all are 1
  std::vector<char> in_test = {};      // the same for test_band
  std::vector<double> dropout = {};    // dropout probability of each column; empty if none is dropped
};

/// The options other than base that differ from their defaults: "functions sine, band_to 0.5"; empty if none do.
std::string variant_text(const SinusoidalOptions& options);

/// The columns that resolved options define.
SinusoidalColumns columns_of(const ModelShape& shape, const SinusoidalOptions& options);

}  // namespace ordinal

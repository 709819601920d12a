// The options of the sinusoidal encoding, and what follows from them for its columns. The encoding itself is in
// positional/sinusoidal.h.
#pragma once

#include <vector>

#include "framework/positional/sinusoid_table.h"

namespace ordinal {

struct SinusoidalOptions {
  SinusoidOptions sines;
  double scale_pe = 1.0;
  bool pad_odd = false;
  double dropout_high = 0.0;
  double dropout_low = 0.0;

  void visit(OptionVisitor& v);
  void resolve(const ModelShape& shape);
};

/// What the columns of PE hold.
struct SinusoidalColumns {
  std::vector<double> frequencies;  // radians a position
  std::vector<double> dropout;      // probability with which each column is dropped; empty if none is
};

/// The columns that resolved options ask for.
SinusoidalColumns columns_of(const ModelShape& shape, const SinusoidalOptions& options);

}  // namespace ordinal

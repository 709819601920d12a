// Sines and cosines of positions at several frequencies.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "framework/core/options.h"
#include "framework/core/pass.h"

namespace ordinal {

/// ω_i = exp(-(2i/d) ln base) for i = 0 … d/2 - 1: from 1 down to base^(-(d-2)/d). Throws
/// std::invalid_argument for an odd d, a size below 1 or a base that is not finite and above 1.
std::vector<double> sinusoidal_frequencies(Index d_model, double base = 10000.0);

/// Options of all encodings that use sines and cosines. With the automatic base, the longest wavelength is ten training lengths.
struct SinusoidOptions {
  double base = 10000.0;
  std::string precision = "float";

  void visit(OptionVisitor& v);
  void resolve(const ModelShape& shape);
};

/// A column of a table: sin(pos·frequency), or its cosine.
struct Sinusoid {
  double frequency = 0.0;
  bool cosine = false;
};
/// The sines of all frequencies, then their cosines.
std::vector<Sinusoid> sines_then_cosines(const std::vector<double>& frequencies);

/// How many of the first `rows` rows an encoding keeps. A range of positions may be larger than any memory.
inline Index rows_to_keep(Index rows) { return std::min<Index>(rows, Index{1} << 16U); }

/// Immutable. Rows for the whole positions 0 … kept - 1 are stored. All others are computed on request, to the
/// same bits. Angles are computed in double and rounded once at the end, to T or by `precision` (SinusoidOptions): in
/// float, pos·ω at position 65,536 would be off by 4e-3.
template <typename T>
class SinusoidTable {
 public:
  SinusoidTable(std::vector<Sinusoid> columns, Index kept, const std::string& precision = "float");

  Index cols() const { return std::ssize(columns_); }
  void write(double position, T* row) const;
  /// (positions, cols): the stored rows themselves if possible, else rows in the memory of `pass`.
  View<const T> rows(std::span<const double> positions, Pass<T>& pass) const;
  /// Rows for the positions of all sequences of a run, one sequence after the other; only once if they share them.
  View<const T> rows(const Positions& positions, Pass<T>& pass) const;

 private:
  void compute(double position, T* row) const;

  std::vector<Sinusoid> columns_;
  double (*rounded_)(double);
  Tensor<T> stored_;  // (kept, cols)
};

}  // namespace ordinal

// Sines and cosines of positions at several frequencies: the rows of the sinusoidal encoding, the angles of rotary encodings, the
// relative vectors of Transformer-XL.
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

/// Options of all encodings that use sines and cosines. The automatic base is 10 L/2π for the training length L, so that the
/// longest wavelength is ten times L.
struct SinusoidOptions {
  double base = 10000.0;
  std::string precision = "float";

  void visit(OptionVisitor& v);
  void resolve(const ModelShape& shape);
};

/// How a row holds sin(pos·ω_i) and cos(pos·ω_i) for n frequencies.
///   interleaved   sin in column 2i, cos in column 2i + 1
///   split         sin in column i, cos in column n + i
///   sines         sin in column i, no cosines: n columns
///   cosines       cos in column i, no sines: n columns
enum class SinusoidLayout { interleaved, split, sines, cosines };

/// The limit of shift invariance (EncodingEntry::shift_limit) if the sines and cosines of a difference are products
/// of rounded sines and cosines of single positions.
inline constexpr const char* half_table_rounding = "for the rounding of tables in half or bfloat16";
/// How many of the first `rows` rows an encoding keeps: those that are looked up repeatedly. A range of positions may be
/// larger than any memory.
inline Index rows_to_keep(Index rows) { return std::min<Index>(rows, Index{1} << 16U); }

/// Immutable. Rows for the whole positions 0 … kept - 1 are stored. All others are computed on request, to the
/// same bits. Angles are computed in double and rounded once at the end, to T or by `precision` (SinusoidOptions): in
/// float, pos·ω at position 65,536 would be off by 4e-3.
template <typename T>
class SinusoidTable {
 public:
  SinusoidTable(std::vector<double> frequencies, Index kept, SinusoidLayout layout,
                const std::string& precision = "float");

  Index cols() const { return stored_.shape().back(); }
  /// One row of cols() elements.
  void write(double position, T* row) const;
  /// (positions, cols): the stored rows themselves if possible, else rows in the memory of `pass`.
  View<const T> rows(std::span<const double> positions, Pass<T>& pass) const;
  /// Rows for the positions of all sequences of a run, one sequence after the other; only once if they share them.
  View<const T> rows(const Positions& positions, Pass<T>& pass) const;
  /// Bytes of the stored rows.
  Index memory_bytes() const { return stored_.size() * static_cast<Index>(sizeof(T)); }

 private:
  void compute(double position, T* row) const;

  std::vector<double> frequencies_;
  SinusoidLayout layout_;
  double (*rounded_)(double);
  Tensor<T> stored_;  // (kept, cols)
};

}  // namespace ordinal

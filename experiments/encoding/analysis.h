// Properties of a matrix of positional encodings (L, d): how an offset rotates it, and how similar its rows are. Also what
// attention scores depend on. Works on any matrix, so a learned table can be compared with the sinusoidal one. All in double.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "framework/core/tensor.h"

namespace ordinal::experiments {

/// The block-diagonal M_k (d, d) that best maps row pos to row pos + k for an offset k, with one rotation
///   [ c  s ]
///   [-s  c ]  for each pair of columns (2i, 2i + 1),
/// the least-squares fit over all positions. For the sinusoidal encoding c = cos(ω_i k), s = sin(ω_i k)
/// at every position, and the error is pure rounding: Vaswani et al. 2017, §3.5. Needs an even
/// number of columns and 0 <= offset < L.
Tensor<double> relative_position_matrix(const Tensor<double>& pe, Index offset);

/// max_pos ‖M PE_pos - PE_{pos+k}‖₂ for any matrix M (d, d).
double reconstruction_error(const Tensor<double>& matrix, const Tensor<double>& pe, Index offset);

/// The Gram matrix D (L, L), D_ij = PE_i · PE_j; for the sinusoidal encoding Σ_i cos(ω_i (i - j)).
Tensor<double> dot_product_distance(const Tensor<double>& pe);

/// What the scores (heads, L, L) of tokens at `positions` (L) depend on. Only pairs of a query i and a key j that it sees count
/// (causal: j ≤ i).
struct ScoreStatistics {
  double smallest = 0.0;
  double largest = 0.0;
  /// The largest distance of a score from the mean over all scores of the same head at the same difference of positions, which
  /// for one head at 0, 1, 2, … that sees everything is the deviation from a Toeplitz matrix. Differences closer than about 1e-6
  /// may count as equal. Empty if none but 0 occurs twice.
  std::optional<double> deviation = {};
  bool depends_on_distance_alone = false;  // up to rounding, 1e-9 of the largest score (or of 1)
  bool is_constant = false;                // the same
};
ScoreStatistics score_statistics(View<const double> scores, std::span<const double> positions, bool causal);

/// The root mean square of each of four terms (4, heads, L, L), over all heads and all pairs whose query sees the key.
std::array<double, 4> term_sizes(const Tensor<double>& terms, bool causal);

/// Each row divided by its length (L, d); a row of zeros stays.
Tensor<double> unit_rows(const Tensor<double>& pe);

/// Cosine of the angle between every two rows (L, L); 0 for a row of zeros.
Tensor<double> cosine_similarity(const Tensor<double>& pe);

struct EncodingStatistics {
  std::vector<double> norms;  // ‖PE_pos‖₂ of each position
  double mean = 0.0;          // of all elements, as the rest
  double variance = 0.0;
  double smallest = 0.0;
  double largest = 0.0;
};
EncodingStatistics encoding_statistics(const Tensor<double>& pe);

/// The two closest rows and their Euclidean distance. Needs at least two rows.
struct Uniqueness {
  double distance = 0.0;
  Index first = 0;
  Index second = 0;
};
Uniqueness uniqueness(const Tensor<double>& pe);

}  // namespace ordinal::experiments

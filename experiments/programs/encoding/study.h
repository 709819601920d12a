// An encoding as numbers and pictures: what it adds to the input and to the scores, the similarity of
// positions, the rotation speed of dimensions, and what the scores depend on.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "experiments/process/folder_lock.h"
#include "experiments/programs/encoding/subject.h"
#include "experiments/report/heatmap.h"

namespace ordinal::experiments {

/// Joins matrices of the same size into one picture, `across` per row, with a gap between them.
Tensor<double> tiled(const std::vector<View<const double>>& matrices, Index across, Index gap);

/// Scores take heads·L² numbers, and their terms four times as many. A study skips both for more positions than this.
inline constexpr Index most_scored = 4096;

/// Whichever of these apply; queries and keys are random or, for scores, those of one repeated token:
///   input        PE (L, d): what is added to the input
///   gram         PE PEᵀ (L, L)
///   similarity   cosine of the angle between rows (L, L)
///   angles       angles by which pairs of a head are rotated (L, pairs), radians
///   bias         what is added to the scores of each head (heads, L, L)
///   scores       the full scores (heads, L, L)
///   terms        content and position terms of the scores (4, heads, L, L)
///   shift-k      M_k (d, d), the best rotation of columns 2i and 2i + 1, for each offset; without a picture
/// Pictures show the first four heads, and the terms of the first one.
struct EncodingStudy {
  /// statistics.txt, also for a terminal: norms, mean, variance, wavelengths and smallest distance of the input, how well M_k
  /// shifts it, what the scores depend on, and the sizes of their terms.
  std::string text = {};
  std::map<std::string, Tensor<double>> matrices = {};         // .npy
  std::vector<std::pair<std::string, Heatmap>> pictures = {};  // .svg

  /// Writes everything and returns the paths. Throws what LockedPath::check throws, and
  /// std::filesystem::filesystem_error if the folder cannot be written.
  std::vector<std::filesystem::path> write(const LockedPath& folder) const;
};

/// Throws PositionError for positions that the encoding cannot serve, and DataError for numbers that are not finite.
EncodingStudy study_encoding(const EncodingSubject& subject);

}  // namespace ordinal::experiments

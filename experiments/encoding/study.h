// An encoding as numbers and pictures: what it adds to the input and to the scores, the similarity of
// positions, the rotation speed of dimensions, and what the scores depend on.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "experiments/encoding/subject.h"
#include "experiments/report/heatmap.h"
#include "framework/storage/folder_lock.h"

namespace ordinal::experiments {

/// The files that a study writes into a folder, and the text that it prints. Throws what
/// LockedPath::check throws, and std::filesystem::filesystem_error if the folder cannot be written.
struct StudyFiles {
  LockedPath folder;
  std::vector<std::filesystem::path> written = {};
  std::string text = {};  // for a terminal

  void write(const std::string& file, const std::string& content);
  /// Writes `name`.npy.
  void save(const std::string& name, const Tensor<double>& values);
  /// Writes `name`.svg.
  void draw(const std::string& name, View<const double> values, const HeatmapOptions& options);
  /// Prints the text and, unless `quiet`, the paths.
  void print(bool quiet) const;
};

/// Joins matrices of the same size into one picture, `across` per row, with a gap between them.
Tensor<double> tiled(const std::vector<View<const double>>& matrices, Index across, Index gap);

/// Scores take heads·L² numbers, and their terms four times as many. A study skips both for more positions than this.
inline constexpr Index most_scored = 4096;

/// The matrices of a study, by name; study_encoding() describes them. Queries and keys are random or, for scores, those of one
/// repeated token. Throws DataError for numbers that are not finite.
using StudyMatrices = std::map<std::string, Tensor<double>>;
StudyMatrices study_matrices(const EncodingSubject& subject);

/// Writes whichever of these files apply:
///   input.npy, .svg         PE (L, d): what is added to the input
///   gram.npy, .svg          PE PEᵀ (L, L)
///   similarity.npy, .svg    cosine of the angle between rows (L, L)
///   shift-k.npy             M_k (d, d), the best rotation of columns 2i and 2i + 1, for each offset
///   rotation_error.csv      offset, max ‖M_k PE_pos - PE_{pos+k}‖
///   wavelengths.csv         pair, frequency, wavelength of the sines that are added, if there are any
///   angles.npy, .svg        angles by which pairs of a head are rotated (L, pairs), radians
///   bias.npy, bias-h.svg    what is added to the scores of each head (heads, L, L), head h = 1 … heads
///   scores.npy, -h.svg      the full scores (heads, L, L)
///   terms.npy, .svg         content and position terms of the scores (4, heads, L, L); drawn for head 1
///   statistics.json, .txt   norms, mean, variance, bounds, smallest distance, deviation from Toeplitz of the
///                           input; what the scores depend on, and the sizes of their terms
void study_encoding(const EncodingSubject& subject, const StudyMatrices& matrices, StudyFiles& files);

}  // namespace ordinal::experiments

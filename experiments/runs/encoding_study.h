// An encoding as numbers and pictures: what it adds to the input and to the scores, the similarity of
// positions, the rotation speed of dimensions.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "experiments/runs/encoding_matrices.h"

namespace ordinal::experiments {

struct EncodingStudy {
  std::vector<std::filesystem::path> files;  // all that were written
  std::string text;                          // statistics, for a terminal; also in statistics.txt
  std::string plot_error;                    // one line, empty if all pictures were drawn
};

/// Writes into `out`, for an encoding called `name`, those of these files that apply:
///   input.npy, .svg         PE (L, d): what is added to the input
///   gram.npy, .svg          PE PEᵀ (L, L)
///   similarity.npy, .svg    cosine of the angle between rows (L, L)
///   rotation_error.csv      offset, max ‖M_k PE_pos - PE_{pos+k}‖ with the best rotation M_k of columns 2i, 2i + 1
///   wavelengths.csv         pair, frequency, wavelength of the sines that are added, `frequencies`, if
///                           there are any
///   statistics.json, .txt   norms, mean, variance, bounds, smallest distance, deviation from Toeplitz
///   angles.npy, .svg        angles by which pairs of a head are rotated (L, pairs), radians
///   bias.npy, bias-h.svg    what is added to the scores of each head (heads, L, L), head h = 1 … heads
/// Throws std::filesystem::filesystem_error if the folder cannot be written.
EncodingStudy study_encoding(const std::string& name, const EncodingMatrices& matrices,
                             const std::vector<double>& frequencies, const std::filesystem::path& out);

}  // namespace ordinal::experiments

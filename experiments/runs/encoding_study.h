// What an encoding is, as numbers and pictures: the matrix that it adds to the input, how similar positions
// are, how fast its dimensions turn.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "framework/core/tensor.h"

namespace ordinal {

struct EncodingStudy {
  std::vector<std::filesystem::path> files;  // all that were written
  std::string text;                          // statistics, for a terminal; also in statistics.txt
  std::string plot_error;                    // one line, empty if all pictures were drawn
};

/// Writes into `out`, for a matrix PE (L, d) of an encoding called `name`:
///   input.npy, .svg        PE (L, d)
///   gram.npy, .svg         PE PEᵀ (L, L)
///   similarity.npy, .svg   cosine of the angle between rows (L, L)
///   rotation_error.csv     offset, max ‖M_k PE_pos - PE_{pos+k}‖ with the best rotation M_k of each pair of
///   columns wavelengths.csv        pair, frequency, wavelength of the sinusoidal frequencies for d and
///   `base` statistics.json, .txt  norms, mean, variance, bounds, smallest distance between rows, deviation
///   from Toeplitz
/// Throws std::filesystem::filesystem_error if the folder cannot be written.
EncodingStudy study_encoding(const std::string& name, const Tensor<double>& pe, double base,
                             const std::filesystem::path& out);

}  // namespace ordinal

// An encoding as numbers and pictures: what it adds to the input and to the scores, the similarity of
// positions, the rotation speed of dimensions, and what the scores depend on.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "experiments/runs/encoding_matrices.h"
#include "framework/storage/folder_lock.h"

namespace ordinal::experiments {

struct EncodingStudy {
  std::vector<std::filesystem::path> files;  // all that were written
  std::string text;                          // statistics, for a terminal; also in statistics.txt
  std::string plot_error;                    // one line, empty if all pictures were drawn
};

/// What is studied: an encoding called `name` at `positions` of one sequence.
struct StudyInput {
  std::string name;
  std::vector<double> positions;
  bool causal = true;
  EncodingMatrices matrices;
  Tensor<double> scores;   // (heads, L, L); empty if there are too many positions
  bool same_token = true;  // they are those of one token that is repeated; else of given queries and keys
  Tensor<double> terms;    // (4, heads, L, L); empty if there are none
  std::vector<double> frequencies;  // of the sines that are added to the input
  std::vector<Index> offsets;       // k of the matrices M_k
  std::string why_no_offsets;       // why there are none
};

/// Writes into `out` those of these files that apply:
///   input.npy, .svg         PE (L, d): what is added to the input
///   gram.npy, .svg          PE PEᵀ (L, L)
///   similarity.npy, .svg    cosine of the angle between rows (L, L)
///   shift-k.npy             M_k (d, d), the best rotation of columns 2i and 2i + 1, for each offset
///   rotation_error.csv      offset, max ‖M_k PE_pos - PE_{pos+k}‖
///   wavelengths.csv         pair, frequency, wavelength of the sines that are added, if there are any
///   angles.npy, .svg        angles by which pairs of a head are rotated (L, pairs), radians
///   bias.npy, bias-h.svg    what is added to the scores of each head (heads, L, L), head h = 1 … heads
///   scores.npy, -h.svg      the whole scores (heads, L, L)
///   terms.npy, .svg         content and position terms of the scores (4, heads, L, L); drawn for head 1
///   statistics.json, .txt   norms, mean, variance, bounds, smallest distance, deviation from Toeplitz of the
///                           input; what the scores depend on, and the sizes of their terms
/// Throws std::filesystem::filesystem_error if the folder cannot be written.
EncodingStudy study_encoding(const StudyInput& input, const LockedPath& out);

}  // namespace ordinal::experiments

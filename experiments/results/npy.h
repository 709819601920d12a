// NumPy's .npy files: one array each, for input token batches and exported matrices. Archives
// (.npz), structured types and Fortran order are not read. For named tensors see storage/safetensors.h.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "framework/core/tensor.h"
#include "framework/storage/folder_lock.h"

namespace ordinal::experiments {

/// An array as stored in the file; read it with integers() or reals().
struct NpyArray {
  std::string source;  // the path, for messages
  Shape shape = {};
  std::string dtype = {};     // NumPy's name for it, such as "<i8"
  std::string contents = {};  // row-major, little-endian

  /// Throws DataError if the dtype is not an integer or a bool, or if a value exceeds the range of int64.
  std::vector<std::int64_t> integers() const;

  /// Any dtype; integers beyond 2^53 are rounded to nearest.
  std::vector<double> reals() const;
};

/// Reads format versions 1.0 and 2.0 with bool, integers and float32/float64. Throws DataError, one line
/// "path: reason", for anything else and for a file that is missing, a folder, truncated or too long.
NpyArray read_npy(const std::filesystem::path& path);

/// Writes `values`, row-major, as version 1.0 with the data aligned to 64 bytes, atomically
/// (storage/atomic_file.h). Throws std::invalid_argument if their number does not fit the shape or the shape
/// does not fit a version 1.0 header, and std::filesystem::filesystem_error if the file cannot be written.
void write_npy(const LockedPath& path, const Shape& shape, std::span<const double> values);
void write_npy(const LockedPath& path, const Shape& shape, std::span<const std::int64_t> values);

}  // namespace ordinal::experiments

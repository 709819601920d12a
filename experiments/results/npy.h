// NumPy's .npy files: one array each, for input token batches and exported matrices. Only 64-bit integers (input) and doubles
// (output) in C order are known. For named tensors see storage/safetensors.h.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "experiments/process/folder_lock.h"
#include "framework/core/tensor.h"

namespace ordinal::experiments {

template <typename T>
struct NpyArray {
  Shape shape = {};
  std::vector<T> values = {};  // row-major
};

/// Reads an array of std::int64_t or double, as np.save() writes it. Throws DataError, one line "path: reason", for any
/// other file.
template <typename T>
NpyArray<T> read_npy(const std::filesystem::path& path);

/// Writes `values`, row-major, with the data aligned to 64 bytes, atomically (process/folder_lock.h). Throws
/// std::filesystem::filesystem_error if the file cannot be written.
template <typename T>
void write_npy(const LockedPath& path, const Shape& shape, std::span<const T> values);

}  // namespace ordinal::experiments

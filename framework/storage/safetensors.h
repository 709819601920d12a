// Tensors on disk in the safetensors layout, which Python reads with its own `safetensors` package: one class
// writes a file, another reads it. The contents of a checkpoint are defined in training/checkpoint.h; the layout
// is described in storage/safetensors_header.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "framework/core/tensor.h"
#include "framework/storage/atomic_file.h"
#include "framework/storage/safetensors_header.h"

namespace ordinal {

/// Collects tensors and writes them as one file. The values are not copied: they must stay alive and
/// unchanged until write() returns. The same calls give the same bytes.
class SafetensorsWriter {
 public:
  /// A later value of the same key replaces the earlier one.
  void set_metadata(const std::string& key, const std::string& value) { metadata_[key] = value; }

  /// `values` in row-major order, stored as F32, F64 or I64. Throws std::invalid_argument if their number
  /// does not match the shape, or if the name was added before or is the reserved "__metadata__".
  void add(const std::string& name, const Shape& shape, std::span<const float> values) {
    add_bytes(name, shape, "F32", std::as_bytes(values));
  }
  void add(const std::string& name, const Shape& shape, std::span<const double> values) {
    add_bytes(name, shape, "F64", std::as_bytes(values));
  }
  void add(const std::string& name, const Shape& shape, std::span<const std::int64_t> values) {
    add_bytes(name, shape, "I64", std::as_bytes(values));
  }

  /// Replaces the file at `path` atomically (storage/atomic_file.h). The data is in the order of the add()
  /// calls, eight-byte types first, so that every value is aligned to its size for readers that map the file.
  /// Throws std::filesystem::filesystem_error if it cannot be written, std::invalid_argument for texts that
  /// are not UTF-8.
  void write(const std::filesystem::path& path, const WriteCheck& check = {}) const;

 private:
  void add_bytes(const std::string& name, const Shape& shape, const std::string& type,
                 std::span<const std::byte> bytes);

  std::map<std::string, std::string> metadata_;
  std::vector<SafetensorsTensor>
      tensors_;  // in the order of their data; where they begin and end is not known before write()
  std::vector<std::span<const std::byte>> data_;
};

/// A safetensors file, read into memory and checked as a whole when it is opened. Immutable, so that any
/// number of threads may read from it.
class SafetensorsFile {
 public:
  /// Throws CheckpointError, one line "path: reason", if the file is missing, a folder, in another format,
  /// truncated, or corrupt in any way that the layout can reveal, if it holds an unsupported type, or if a tensor or
  /// the metadata does not match its hash in the file. Files from other programs hold no hashes.
  explicit SafetensorsFile(const std::filesystem::path& path);

  const std::string& path() const { return path_; }
  /// The metadata without the hashes.
  const std::map<std::string, std::string>& metadata() const { return header_.metadata; }
  /// In the order of the data in the file.
  std::vector<std::string> names() const;
  bool contains(std::string_view name) const { return find(name) != nullptr; }

  /// Both throw CheckpointError if there is no such tensor.
  const SafetensorsTensor& get(std::string_view name) const;
  const Shape& shape(std::string_view name) const { return get(name).shape; }

  /// Copies a tensor's values in row-major order. T = float or double reads F64, F32, F16 and BF16, rounding
  /// to nearest where T is narrower; T = std::int64_t reads I64 and I32. Throws CheckpointError if there is
  /// no such tensor, if it is of the other kind, or if `destination` does not hold exactly its number of
  /// values.
  template <typename T>
  void read(std::string_view name, std::span<T> destination) const;
  template <typename T>
  std::vector<T> values(std::string_view name) const {
    std::vector<T> values(static_cast<std::size_t>(element_count(shape(name))));
    read(name, std::span<T>(values));
    return values;
  }

 private:
  void check_hashes();
  const SafetensorsTensor* find(std::string_view name) const;
  std::span<const std::byte> bytes_of(const SafetensorsTensor& tensor) const;
  [[noreturn]] void refuse(std::string_view name, const std::string& reason) const;

  std::string path_;
  std::string contents_;
  SafetensorsHeader header_;
};

}  // namespace ordinal

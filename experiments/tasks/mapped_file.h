// A memory-mapped file that the system reads on demand, for texts that may be larger than the machine's memory.
#pragma once

#include <filesystem>
#include <string_view>

#include "framework/storage/atomic_file.h"

namespace ordinal::experiments {

/// A regular file, mapped for reading. All objects of a file, in all processes, share one copy of its pages. If another
/// file is renamed to its path, this object keeps the old bytes.
class MappedFile {
 public:
  /// Throws DataError, "path: reason", if it is missing, a folder, a pipe, a device or unreadable, or if a limit on the
  /// address space leaves no room for it.
  explicit MappedFile(std::filesystem::path path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  /// Valid as long as this object lives. Reading past the end of a truncated file kills the process (SIGBUS), so
  /// call check_unchanged() first.
  std::string_view bytes() const { return bytes_; }

  /// Throws DataError if the file was written to since it was mapped.
  void check_unchanged() const;

 private:
  std::filesystem::path path_;
  OpenFile file_;
  std::string_view bytes_;
};

}  // namespace ordinal::experiments

// A file as memory that the system reads on demand, for texts that may be larger than the memory of the machine.
#pragma once

#include <filesystem>
#include <string_view>

#include "framework/storage/descriptor.h"

namespace ordinal::experiments {

/// A regular file, mapped for reading: all objects of a file, in all processes, share one copy of its pages. A file that
/// is replaced by renaming another one to its path keeps its bytes here.
class MappedFile {
 public:
  /// Throws DataError, "path: reason", if it is missing, a folder, a pipe, a device or unreadable, or if a limit on the
  /// address space leaves no room for it.
  explicit MappedFile(std::filesystem::path path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  /// Valid as long as this object. Reading past the end of a file that has become shorter ends the process (SIGBUS), so
  /// call check_unchanged() before.
  std::string_view bytes() const { return bytes_; }

  /// Throws DataError if the file was written to since it was mapped.
  void check_unchanged() const;

 private:
  std::filesystem::path path_;
  OpenFile file_;
  std::string_view bytes_;
};

}  // namespace ordinal::experiments

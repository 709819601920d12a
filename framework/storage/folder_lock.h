// One writer for a folder of results at a time.
#pragma once

#include <filesystem>
#include <string>

namespace ordinal {

/// Holds the file .lock in a folder for as long as it lives. The lock is advisory and the kernel's (fcntl, also over NFS): it
/// ends with the process, however that ends, and readers need none. The file stays, and says who held it last.
class FolderLock {
 public:
  /// Makes the folder if needed. Throws ConfigError if another process holds the lock, naming its host, its process and
  /// since when; std::filesystem::filesystem_error if the file cannot be written. Removes what writers that were
  /// killed left behind in the folder and below it (see remove_leftovers).
  explicit FolderLock(const std::filesystem::path& folder);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int file_ = -1;
};

/// The process that holds the lock of a folder: "process 1234 on host since 2026-11-22 10:11:12". Empty if none does, or the
/// file cannot be read. Writes nothing.
std::string folder_writer(const std::filesystem::path& folder);

}  // namespace ordinal

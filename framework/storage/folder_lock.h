// One writer for a folder of results at a time.
#pragma once

#include <filesystem>
#include <string>
#include <utility>

#include "framework/storage/descriptor.h"

namespace ordinal {

class LockedPath;

/// Holds the file .lock in a folder for as long as it lives. The lock is advisory and the kernel's (fcntl, also over NFS): it
/// ends with the process, however that ends, and readers need none. The file stays, and says who held it last.
class FolderLock {
 public:
  enum class Holder { here, one_of_several, first_rank };

  /// Makes the folder if needed. Throws ConfigError if another process holds the lock, naming its host, its process and
  /// since when, and if .lock is not a regular file; std::filesystem::filesystem_error if it cannot be written. Removes what
  /// writers that were killed left behind in the folder and below it (see remove_leftovers). Several processes can hold it
  /// together, each as one of several, which remove nothing. Where the first of several ranks holds the lock, the others
  /// only open the file.
  explicit FolderLock(const std::filesystem::path& folder, Holder holder = Holder::here);
  ~FolderLock() = default;
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

  /// The folder.
  LockedPath path() const;

  /// Keeps the other holders away from what `name` stands for, as long as the descriptor lives; it is not open if one of them
  /// is at it. Throws what check() does.
  Descriptor reserve(const std::string& name) const;

  /// Throws ConfigError if the folder was removed or begun again since, or if a link leads from it to `path`, which is in it.
  void check(const std::filesystem::path& path) const;

 private:
  std::filesystem::path folder_;
  Descriptor file_;
};

/// A path, in a folder of results with the lock of its writer. See write_file_atomically.
class LockedPath : public std::filesystem::path {
 public:
  using path::path;
  // NOLINTNEXTLINE(google-explicit-constructor): any path is one without a lock
  LockedPath(path name, const FolderLock* lock = nullptr)
      : std::filesystem::path(std::move(name)), lock_(lock) {}

  const FolderLock* lock() const { return lock_; }
  /// Throws ConfigError if nothing may be written there any more, see FolderLock.
  void check() const {
    if (lock_ != nullptr) lock_->check(*this);
  }

 private:
  const FolderLock* lock_ = nullptr;
};

inline LockedPath operator/(const LockedPath& folder, const std::filesystem::path& name) {
  return {static_cast<const std::filesystem::path&>(folder) / name, folder.lock()};
}
inline LockedPath operator+(const LockedPath& stem, const std::string& end) {
  return {stem.native() + end, stem.lock()};
}

/// The process that holds the lock of a folder: "process 1234 on host since 2026-11-22 10:11:12". Empty if none does, or the
/// file cannot be read. Writes nothing.
std::string folder_writer(const std::filesystem::path& folder);

}  // namespace ordinal

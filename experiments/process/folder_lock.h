// Allows one writer at a time in a folder of results, and writes there only while that holds.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include "framework/storage/atomic_file.h"

namespace ordinal::experiments {

class FolderLock;

/// A path; in a locked folder, with the lock.
class LockedPath : public std::filesystem::path {
 public:
  using path::path;
  // NOLINTNEXTLINE(google-explicit-constructor): any path is one without a lock
  LockedPath(path name, const FolderLock* lock = nullptr)
      : std::filesystem::path(std::move(name)), lock_(lock) {}

  const FolderLock* lock() const { return lock_; }
  /// Throws what FolderLock::check() throws.
  void check() const;
  /// check() for what the framework writes; empty without a lock.
  WriteCheck write_check() const;

 private:
  const FolderLock* lock_ = nullptr;
};

inline LockedPath operator/(const LockedPath& folder, const std::filesystem::path& name) {
  return {static_cast<const std::filesystem::path&>(folder) / name, folder.lock()};
}

/// Writes a text or chunks as the framework does (storage/atomic_file.h), with write_check().
template <typename Contents>
void write_file_atomically(const LockedPath& path, const Contents& contents) {
  ordinal::write_file_atomically(path, contents, path.write_check());
}

/// Creates the file's folder first. Throws what std::filesystem throws if that fails, and std::runtime_error if
/// the file cannot be written.
void write_text(const LockedPath& path, std::string_view text);

/// Appends `line` and a newline in one write, creating the file if needed; the log is not synced. Throws
/// std::filesystem::filesystem_error, also for a symbolic link, and what check() throws. Removes a line that did not fit on
/// the disk.
void append_line(const LockedPath& path, std::string_view line);

/// Holds the file .lock in a folder for as long as it lives. The lock is an advisory kernel lock (fcntl, also over NFS): it
/// ends with the process, however that ends. Readers need none. The file stays and names the last holder; of several, the
/// first.
class FolderLock {
 public:
  /// Creates the folder if needed, and writes down what it `holds`: "a single training". Throws ConfigError if another process
  /// holds the lock, naming its host, its process and since when, and if .lock is not a regular file;
  /// std::filesystem::filesystem_error if it cannot be written. Several processes can hold the lock together with the same `purpose`:
  /// what they all write. The first removes what killed writers left in the folder and below it, but not in a folder below that has a
  /// .lock of its own.
  explicit FolderLock(const std::filesystem::path& folder, const std::string& holds = "results",
                      const std::string& purpose = "");
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;
  ~FolderLock() = default;

  /// Throws ConfigError if another process holds the lock of a folder, which need not exist, alone.
  static void check_free(const std::filesystem::path& folder);

  /// The folder, with this lock.
  LockedPath path() const { return {folder_, this}; }

  /// Reserves `name` against the other holders for as long as the descriptor lives. The descriptor is not open if another
  /// holder has reserved it. Throws what check() throws.
  Descriptor reserve(const std::string& name) const;

  /// Throws ConfigError if the folder was removed or recreated since, or if a link inside it leads to `path`, which is in it.
  void check(const std::filesystem::path& path) const;

 private:
  std::filesystem::path folder_;
  Descriptor file_;
};

}  // namespace ordinal::experiments

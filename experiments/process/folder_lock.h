// Allows one writer at a time in a folder of results.
#pragma once

#include <filesystem>
#include <string>

#include "framework/storage/descriptor.h"
#include "framework/storage/locked_path.h"

namespace ordinal::experiments {

/// Holds the file .lock in a folder for as long as it lives. The lock is an advisory kernel lock (fcntl, also over NFS): it
/// ends with the process, however that ends. Readers need none. The file stays and names the last holder; of several, the
/// first.
class FolderLock final : public WriteGuard {
 public:
  enum class Holder { here, one_of_several };

  /// Creates the folder if needed. Throws ConfigError if another process holds the lock, naming its host, its process and
  /// since when, and if .lock is not a regular file; std::filesystem::filesystem_error if it cannot be written. Removes what
  /// killed writers left in the folder and below it (see remove_leftovers). Several processes can hold the lock together as
  /// one_of_several, with the same `purpose`: what they all write; they remove nothing.
  explicit FolderLock(const std::filesystem::path& folder, Holder holder = Holder::here,
                      const std::string& purpose = "");
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

  /// The folder, with this lock as its guard.
  LockedPath path() const { return {folder_, this}; }

  /// Reserves `name` against the other holders for as long as the descriptor lives. The descriptor is not open if another
  /// holder has reserved it. Throws what check() throws.
  Descriptor reserve(const std::string& name) const;

  /// Throws ConfigError if the folder was removed or recreated since, or if a link inside it leads to `path`, which is in it.
  void check(const std::filesystem::path& path) const override;

 private:
  std::filesystem::path folder_;
  Descriptor file_;
};

}  // namespace ordinal::experiments

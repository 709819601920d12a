// Writes and removes files of results. A write is atomic; see process/folder_lock.h.
#pragma once

#include "experiments/process/folder_lock.h"

namespace ordinal::experiments {

/// Creates the file's folder first. Throws what std::filesystem throws if that fails, and std::runtime_error if
/// the file cannot be written.
inline void write_text(const LockedPath& path, std::string_view text) {
  path.check();
  if (path.has_parent_path()) std::filesystem::create_directories(path.parent_path());
  write_file_atomically(path, text);
}

/// Removes the file, if there is one.
inline void remove_file(const LockedPath& path) {
  path.check();
  std::filesystem::remove(path);
}

}  // namespace ordinal::experiments

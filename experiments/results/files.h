// Writes and removes files of results. A write is atomic; see framework/storage.
#pragma once

#include <string_view>

#include "framework/storage/folder_lock.h"

namespace ordinal::experiments {

/// Makes the file's folder first. Throws what std::filesystem throws if the folder cannot be made, std::runtime_error if
/// the file cannot be written.
void write_text(const LockedPath& path, std::string_view text);

/// Removes the file, if there is one.
void remove_file(const LockedPath& path);

}  // namespace ordinal::experiments

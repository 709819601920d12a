// Whole files on disk: writes one so that a reader sees either the old or the new contents, appends a line to
// a log, or reads one into memory. File formats are elsewhere: see storage/safetensors.h.
#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <span>
#include <string>
#include <string_view>

#include "framework/storage/descriptor.h"
#include "framework/storage/locked_path.h"

namespace ordinal {

using Bytes = std::span<const std::byte>;

/// Writes the chunks, one after the other, to a temporary name in the folder of `path`, syncs the file,
/// renames it to `path` and syncs the folder, so that a crash or power loss at any moment leaves either the
/// previous file or the new one. Follows a symbolic link and replaces its target; in a guarded folder, replaces the link
/// itself. Throws std::filesystem::filesystem_error with the path and the reason (folder missing, no permission, disk full,
/// `path` is a folder or a device), and what the guard of a path throws. The previous file is then intact, and no temporary
/// file is left behind.
void write_file_atomically(const LockedPath& path, std::span<const Bytes> chunks);
void write_file_atomically(const LockedPath& path, std::string_view text);

/// Removes the temporary files that killed writers left in a folder and below it. Nothing else may be writing there.
void remove_leftovers(const std::filesystem::path& folder);

/// Appends `line` and a newline in one write, creating the file if needed; the log is not synced. Throws
/// std::filesystem::filesystem_error, also for a symbolic link, and what the guard of a path throws. Removes a line that did
/// not fit on the disk.
void append_line(const LockedPath& path, std::string_view line);

/// A regular file that is open for reading, and what fstat(2) reports for it.
struct OpenFile {
  Descriptor descriptor;
  struct stat facts;
};

/// Throws DataError, "path: reason", if the file is missing, a folder, a pipe, a device or unreadable.
OpenFile open_regular_file(const std::filesystem::path& path);

/// For what a program writes or a user types: settings, results, reports. Parsing takes several times this much memory.
inline constexpr std::uintmax_t largest_document = 256'000'000;

/// All bytes of a regular file. Throws DataError as open_regular_file() does, or if it has more than `most` bytes or more than fit
/// in memory.
std::string read_file(const std::filesystem::path& path,
                      std::uintmax_t most = std::numeric_limits<std::uintmax_t>::max());

}  // namespace ordinal

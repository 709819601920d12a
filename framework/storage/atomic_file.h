// Whole files on disk: writes one so that a reader sees either the old or the new contents, appends a line to
// a log, reads one into memory. File formats are elsewhere: see storage/safetensors.h and storage/npy.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <span>
#include <string>
#include <string_view>

#include "framework/storage/folder_lock.h"

namespace ordinal {

using Bytes = std::span<const std::byte>;

/// Writes the chunks, one after the other, to a temporary name in the folder of `path`, syncs the file,
/// renames it to `path` and syncs the folder, so that a crash or a loss of power at any moment leaves either
/// the previous file or the new one. A symbolic link is followed, and its target replaced; in a folder of results the link
/// itself is replaced. Throws std::filesystem::filesystem_error with the path and the reason (folder missing, no permission,
/// disk full, `path` is a folder or a device), and what LockedPath::check does; the previous file is then intact and no
/// temporary is left behind.
void write_file_atomically(const LockedPath& path, std::span<const Bytes> chunks);
void write_file_atomically(const LockedPath& path, std::string_view text);

/// Removes the temporary files of writers that were killed, in a folder and below it. Nobody else may be writing there.
void remove_leftovers(const std::filesystem::path& folder);

/// Appends `line` and a newline in one write, creating the file if needed; the log is not synced. Throws
/// std::filesystem::filesystem_error, also for a symbolic link, and what LockedPath::check does; a line that did not fit on
/// the disk is removed again.
void append_line(const LockedPath& path, std::string_view line);

/// What a program writes or a user types, which is parsed in memory several times its size: settings, results, reports.
inline constexpr std::uintmax_t largest_document = 256'000'000;

/// All bytes of a regular file. Throws DataError, "path: reason", if it is missing, a folder, a device or
/// unreadable, or has more than `most` bytes or than there is memory for.
std::string read_file(const std::filesystem::path& path,
                      std::uintmax_t most = std::numeric_limits<std::uintmax_t>::max());

}  // namespace ordinal

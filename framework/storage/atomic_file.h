// Whole files on disk: writes one so that a reader sees either the old or the new contents, or reads one into memory. File
// formats are elsewhere: see storage/safetensors.h.
#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <string_view>

#include "framework/storage/descriptor.h"

namespace ordinal {

using Bytes = std::span<const std::byte>;

/// Throws if a file must not be written after all, for instance because its folder now belongs to another process.
using WriteCheck = std::function<void()>;

/// Writes the chunks, one after the other, to a temporary name in the folder of `path`, syncs the file,
/// renames it to `path` and syncs the folder, so that a crash or power loss at any moment leaves either the
/// previous file or the new one. Follows a symbolic link and replaces its target. Throws std::filesystem::filesystem_error with
/// the path and the reason (folder missing, no permission, disk full, `path` is a folder or a device). The previous file is then
/// intact, and no temporary file is left behind.
///
/// `check`, if given, is called before anything is written, and again when all is written and only the renaming in the open
/// folder is left, or if the folder cannot be opened. With it, a link is not followed but replaced itself.
void write_file_atomically(const std::filesystem::path& path, std::span<const Bytes> chunks,
                           const WriteCheck& check = {});
void write_file_atomically(const std::filesystem::path& path, std::string_view text,
                           const WriteCheck& check = {});

/// Makes `path` a symbolic link to `target` that stays valid when a folder with both is moved. Where the file system has no links, a copy
/// if the target exists. Replaces a file there, as write_file_atomically() does. Throws std::filesystem::filesystem_error.
void link_atomically(const std::filesystem::path& target, const std::filesystem::path& path);

/// Whether a file has the name of a temporary one, which a killed writer leaves behind.
bool is_leftover(const std::filesystem::path& path);

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

// Writes a file of the report, making its folder first. The write is atomic; see framework/storage.
#pragma once

#include <filesystem>
#include <string_view>

namespace ordinal::experiments {

/// Throws what std::filesystem throws if the folder cannot be made, std::runtime_error if the file cannot be
/// written.
void write_text(const std::filesystem::path& path, std::string_view text);

}  // namespace ordinal::experiments

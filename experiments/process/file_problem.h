// What a user reads when the file system refuses something.
#pragma once

#include <filesystem>
#include <string>

namespace ordinal::experiments {

/// "path: what was tried: the reason; a way out".
std::string file_problem(const std::filesystem::filesystem_error& error);

}  // namespace ordinal::experiments

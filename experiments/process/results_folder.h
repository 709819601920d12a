// What a folder of results may hold, so that no run writes over files that it did not make.
#pragma once

#include <filesystem>
#include <set>
#include <string>

#include "experiments/process/folder_lock.h"

namespace ordinal::experiments {

/// Throws ConfigError unless a run may write there what `holds` says, such as "a single training": no folder above has results
/// of another kind, but those of claims, nor is it one of the folders of its results; results in the folder are of the same kind; and without results in it, no file or folder has the
/// name of one. Also if a folder has the name of a file.
void check_results_folder(const std::filesystem::path& folder, const std::string& holds);

/// Throws ConfigError if `input` is a result in this folder, which a run would replace.
void check_input(const std::filesystem::path& input, const std::filesystem::path& folder);

/// Removes pictures and tables of earlier runs from the folder and its figures, but for those in `written`.
void remove_unwritten(const LockedPath& folder, const std::set<std::filesystem::path>& written);

}  // namespace ordinal::experiments

// What a folder of results may hold, so that no run writes over files that it did not make.
#pragma once

#include <filesystem>
#include <set>
#include <string>

#include "experiments/process/folder_lock.h"

namespace ordinal::experiments {

/// What folders of results hold.
inline const std::string an_experiment = "the trainings of an experiment";
inline const std::string a_training = "a single training";
inline const std::string scores_alone = "scores of checkpoints, which evaluate wrote";

/// The file names of a report, of its claims, of its figures, and of the export of an encoding.
inline const std::string report_names =
    R"(table\.(md|csv)|(seeds|references)\.csv|report\.html|(curves(-.*)?|training|by_position)\.svg)";
inline const std::string claim_names = R"(claims\.(md|csv|html)|scores\.csv)";
inline const std::string figure_names =
    R"(.+-(input|similarity|bias|attention-\d+-at-\d+|distances-at-\d+)\.svg)";
inline const std::string export_names =
    R"((input|shift-.+|angles|bias|scores|terms|gram|similarity)\.(npy|svg)|statistics\.txt)";

/// Throws ConfigError unless a run may write there what `holds` says, such as a_training. No folder above may have results of another
/// kind, but those of claims, nor may the folder be one of those in which results stand. Results that it has must be of the same kind;
/// without any, no file or folder in it may have the name of one. A folder must not have the name of a file.
void check_results_folder(const std::filesystem::path& folder, const std::string& holds);

/// Throws ConfigError if `input` is a result in this folder, which a run would replace, unless by the same text.
void check_input(const std::filesystem::path& input, const std::filesystem::path& folder,
                 const std::string& text = "");

/// Removes files with these names, a regular expression, that an earlier run left, but for those in `written`.
void remove_old(const LockedPath& folder, const std::string& names,
                const std::set<std::filesystem::path>& written);

}  // namespace ordinal::experiments

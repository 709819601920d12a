// The page of the program `encoding`: encodings to look at and to play with.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "experiments/runs/encoding_subject.h"
#include "framework/storage/folder_lock.h"

namespace ordinal::experiments {

/// The encodings of encoding.names, or that of encoding.name or of --model. Throws ConfigError for a name that is there
/// twice, for names together with encoding.name or with a checkpoint, for options that write something else than a
/// page, for more positions or dimensions than a page can hold, and as EncodingSubject does.
std::vector<std::unique_ptr<EncodingSubject>> page_subjects(const CommandLine& command);

/// The folder of the page: that of --out, else results/encoding-NAME, or results/encodings for several.
std::filesystem::path page_folder(const std::vector<std::unique_ptr<EncodingSubject>>& subjects,
                                  const CommandLine& command);

/// Writes explorer.html, and its still pictures in the folder figures. Returns the path of the page. Throws
/// PositionError for positions that an encoding cannot serve, before anything is written.
std::filesystem::path write_encoding_page(const std::vector<std::unique_ptr<EncodingSubject>>& subjects,
                                          const CommandLine& command, const LockedPath& out);

}  // namespace ordinal::experiments

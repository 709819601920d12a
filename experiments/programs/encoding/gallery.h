// The gallery of the program `encoding`: one page with the definition of each encoding, its numbers and what it does, as
// pictures. It loads no other resources.
#pragma once

#include "experiments/settings/command_line.h"

namespace ordinal::experiments {

/// Writes encodings.html with the encodings of encoding.names into the folder of --out, by default results/encodings, and prints
/// its path; with --dry-run prints only what it would write. Throws ConfigError for a duplicate name or sentences that do not
/// match, and whatever EncodingSubject throws; PositionError for positions that an encoding cannot serve. Throws before it
/// writes anything.
void write_gallery(const CommandLine& command);

}  // namespace ordinal::experiments

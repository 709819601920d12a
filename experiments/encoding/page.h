// The page of the program `encoding`: encodings to look at and to play with.
#pragma once

#include "experiments/settings/command_line.h"

namespace ordinal::experiments {

/// Writes explorer.html with the encodings of encoding.names, or with that of encoding.name or of --model, into the
/// folder of --out, else results/encoding-NAME, or results/encodings for several. Prints its path; with --dry-run only
/// what it would write. Throws ConfigError for a name that is there twice, for names together with encoding.name or
/// with a checkpoint, for options that write something else than a page, for more positions or dimensions than a page
/// can hold, and as EncodingSubject does; PositionError for positions that an encoding cannot serve. All before
/// anything is written.
void write_encoding_page(const CommandLine& command);

}  // namespace ordinal::experiments

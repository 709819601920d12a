// The page of the program `encoding`: it teaches what encodings do, one section for each, and compares them. It loads no
// other resources. Words are there without JavaScript; explorer.js draws the pictures. numbers.h has the numbers, panels.h
// the words.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "experiments/encoding/numbers.h"
#include "experiments/settings/command_line.h"

namespace ordinal::experiments {

/// One encoding on the page.
struct PageSection {
  EncodingNumbers numbers;
  std::string encoding;                                    // with all options
  std::vector<std::pair<std::string, std::string>> facts;  // name, value; besides what the registry says
  Index offset = 5;                                        // at which sliders of offsets start
};

/// `command` writes the page again.
std::string explorer_page(const std::vector<PageSection>& sections, const std::string& command);

/// Text as HTML, with its indices and exponents lowered and raised: q_i, base^(-2i/d).
std::string math_html(const std::string& text);

/// Writes explorer.html with the encodings of encoding.names, or with that of encoding.name or of --model, into the
/// folder of --out, else results/encoding-NAME, or results/encodings for several. Prints its path; with --dry-run only
/// what it would write. Throws ConfigError for a name that is there twice, for names together with encoding.name or
/// with a checkpoint, for options that write something else than a page, for more positions or dimensions than a page
/// can hold, and as EncodingSubject does; PositionError for positions that an encoding cannot serve. All before
/// anything is written.
void write_encoding_page(const CommandLine& command);

}  // namespace ordinal::experiments

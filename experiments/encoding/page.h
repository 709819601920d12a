// The page of the program `encoding`: it teaches what encodings do, one section for each, and compares them. It loads no
// other resources. Words are there without JavaScript; explorer.js draws the pictures from the numbers of numbers.h.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "experiments/encoding/numbers.h"
#include "experiments/settings/command_line.h"

namespace ordinal::experiments {

/// One thing that an encoding does. `kind` says which picture explorer.js draws.
struct PagePanel {
  std::string kind;
  std::string title;
  std::string words;
};

/// What an encoding does, in words, and what one sees in each panel, in the order of the page.
std::string introduction(const EncodingNumbers& numbers);
std::vector<PagePanel> panels_of(const EncodingNumbers& numbers);

/// One encoding on the page.
struct PageSection {
  EncodingNumbers numbers;
  std::string encoding;                                    // with all options
  std::vector<std::pair<std::string, std::string>> facts;  // name, value; besides what the registry says
  Index offset = 5;                                        // at which sliders of offsets start
};

/// `command` writes the page again.
std::string explorer_page(const std::vector<PageSection>& sections, const std::string& command);

/// Writes explorer.html with the encodings of encoding.names, or with that of encoding.name or of --model, into the
/// folder of --out, else results/encoding-NAME, or results/encodings for several. Prints its path; with --dry-run only
/// what it would write. Throws ConfigError for a name that is there twice, for more positions or dimensions than a page
/// can hold, and as EncodingSubject does; PositionError for positions that an encoding cannot serve. All before
/// anything is written.
void write_encoding_page(const CommandLine& command);

}  // namespace ordinal::experiments

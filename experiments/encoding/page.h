// The page of the program `encoding` explains what encodings do, one section per encoding, and compares them. It loads
// no other resources. The text needs no JavaScript; explorer.js draws the pictures from the numbers of numbers.h.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "experiments/encoding/numbers.h"
#include "experiments/settings/command_line.h"

namespace ordinal::experiments {

/// One effect of an encoding. `kind` tells explorer.js which picture to draw.
struct PagePanel {
  std::string kind;
  std::string title;
  std::string words;
};

/// Describe what an encoding does and what each panel shows, in the order of the page.
std::string introduction(const EncodingNumbers& numbers);
std::vector<PagePanel> panels_of(const EncodingNumbers& numbers);

/// One encoding on the page.
struct PageSection {
  EncodingNumbers numbers;
  std::string encoding;                                    // with all options
  std::vector<std::pair<std::string, std::string>> facts;  // name, value; in addition to the registry
  Index offset = 5;                                        // initial value of offset sliders
};

/// `command` is the command that writes the page again.
std::string explorer_page(const std::vector<PageSection>& sections, const std::string& command);

/// Writes explorer.html with the encodings of encoding.names, or with the one of encoding.name or
/// --model. The folder is that of --out, by default results/encoding-NAME, or results/encodings for
/// several. Prints the path; with --dry-run prints only what it would write. Throws ConfigError for a
/// duplicate name, for more positions or dimensions than a page can hold, and whenever EncodingSubject
/// does; PositionError for positions that an encoding cannot serve. Throws before it writes anything.
void write_encoding_page(const CommandLine& command);

}  // namespace ordinal::experiments

// The page of the program `encoding`: it teaches what encodings do, one section for each, and compares them. It loads no
// other resources. Words are there without JavaScript; explorer.js draws the pictures. explorer_data.h has the numbers,
// experiments/encoding/panels.h the words.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "experiments/encoding/explorer_data.h"

namespace ordinal::experiments {

/// A table of text; the first cell of a line names it.
struct ExplorerTable {
  std::string caption = {};
  std::vector<std::string> headings = {};
  std::vector<std::vector<std::string>> lines = {};
};

/// One thing that an encoding does. `kind` says which picture explorer.js draws.
struct ExplorerPanel {
  std::string kind;
  std::string title;
  std::string words;
};

struct ExplorerSection {
  std::string name;
  std::vector<std::string> formulas;                       // one for each part of the encoding
  std::vector<std::pair<std::string, std::string>> facts;  // name, value
  std::string words;
  std::string definition;
  Index offset = 5;  // at which sliders of offsets start
  std::vector<ExplorerPanel> panels;
};

struct ExplorerPage {
  std::vector<ExplorerSection> sections;
  std::vector<EncodingNumbers> numbers;  // of each section
  ExplorerTable comparison;              // empty for a single encoding
  std::string command;                   // which writes the page again
};

std::string explorer_page(const ExplorerPage& page);

}  // namespace ordinal::experiments

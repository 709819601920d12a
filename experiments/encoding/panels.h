// The words of the page of the program `encoding`: what encodings do, and what one sees in each panel.
#pragma once

#include <string>
#include <vector>

#include "experiments/encoding/numbers.h"

namespace ordinal::experiments {

/// One thing that an encoding does. `kind` says which picture explorer.js draws.
struct PagePanel {
  std::string kind;
  std::string title;
  std::string words;
};

/// What is worth knowing before looking at pictures.
std::string introduction(const EncodingNumbers& numbers);

/// The panels of an encoding, in the order of the page.
std::vector<PagePanel> panels_of(const EncodingNumbers& numbers);

}  // namespace ordinal::experiments

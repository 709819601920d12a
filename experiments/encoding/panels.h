// The words of the page of the program `encoding`: what encodings do, and what one sees in each panel.
#pragma once

#include "experiments/encoding/explorer.h"

namespace ordinal::experiments {

/// The section of an encoding, with the facts of the registry.
ExplorerSection encoding_section(const EncodingNumbers& numbers);

/// What the registry says about each of them, as a config names them.
ExplorerTable comparison_table(const std::vector<std::string>& encodings);

}  // namespace ordinal::experiments

// The words, tables and still pictures of the page of the program `encoding`.
#pragma once

#include <filesystem>

#include "experiments/report/explorer.h"
#include "framework/storage/folder_lock.h"

namespace ordinal::experiments {

/// What is known about a section besides its numbers.
struct SectionFacts {
  std::string text;       // the encoding as a config names it
  std::string positions;  // of the tokens, as text
  std::string constants;  // in effect; empty if there are none
  std::string values;     // where its parameters come from; empty if it has none
  std::vector<Index> offsets;
};

/// The section of an encoding. `stem` is the beginning of the paths of its still pictures; they are left out if it is
/// empty, or gnuplot is not installed.
ExplorerSection encoding_section(const EncodingNumbers& numbers, const SectionFacts& facts,
                                 const LockedPath& stem);

/// What the registry says about each of them.
ExplorerTable comparison_table(const std::vector<SectionFacts>& all);

}  // namespace ordinal::experiments

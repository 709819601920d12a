// The flat parameter block cut into ranges for elementwise work by several threads. The cut depends on the
// layout alone, so sums over ranges have the same bits with any number of threads.
#pragma once

#include <vector>

#include "framework/core/parameters.h"

namespace ordinal {

/// Elements [first, first + count) of the flat block, all of one parameter.
struct ParameterRange {
  Index first = 0;
  Index count = 0;
  bool decay = false;  // of the parameter
};

/// Ranges of at most 16,384 elements that cover every parameter once.
std::vector<ParameterRange> parameter_ranges(const ParameterLayout& layout);

}  // namespace ordinal

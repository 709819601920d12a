// Speed of a model's input: rows of sines that are kept or computed, and embedding + PE in one pass over memory
// or in two.
#pragma once

#include <string>

#include "framework/core/tensor.h"

namespace ordinal::experiments {

/// L tokens of d features.
struct InputShape {
  Index length = 0;
  Index width = 0;
};

std::string shape_text(const InputShape& shape);
/// The shape that "512x64" names. Throws ConfigError for another text, an odd width, or more than 2^26 features.
InputShape parse_input_shape(const std::string& text);

/// Bytes that y_t = E[token_t] + PE_t reads and writes at `element_bytes` each, for tokens that are all different:
///   one pass     3 L d: E and PE are read, y is written
///   two passes   5 L d: E is copied to x, which is written and read once more
Index one_pass_bytes(const InputShape& shape, Index element_bytes);
Index two_passes_bytes(const InputShape& shape, Index element_bytes);

/// Both sides of a comparison take turns. Times are medians, ratios medians over turns.
struct InputTiming {
  double kept_ns = 0.0;  // a row of PE, copied from a table
  double computed_ns = 0.0;
  double computed_to_kept = 0.0;
  double one_pass_ms = 0.0;
  double two_passes_ms = 0.0;
  double two_passes_to_one = 0.0;
};
/// On one thread, in float.
InputTiming time_input(const InputShape& shape, Index turns);

}  // namespace ordinal::experiments

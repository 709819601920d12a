// Lines of a CSV file (RFC 4180).
#pragma once

#include <string>
#include <vector>

#include "framework/core/tensor.h"

namespace ordinal::experiments {

/// A field: in quotes if it holds a comma, a quote or a line break. A text that begins like a formula of a spreadsheet (= + -
/// @, a tab or a line break, but no number) or with an apostrophe gets an apostrophe before it.
std::string csv(const std::string& given);
std::string csv(Index count);
/// The shortest text that reads back as the same double; empty for NaN.
std::string csv(double value);

/// Fields, as csv() writes them, with a line break.
std::string csv_line(const std::vector<std::string>& fields);

}  // namespace ordinal::experiments

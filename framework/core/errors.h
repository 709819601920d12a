// The exceptions of the framework. Every message names the location, the value, what was expected and, if
// possible, a fix; control characters in it are escaped, because a NUL would end it. Bad arguments are
// std::invalid_argument, an index out of range is std::out_of_range.
#pragma once

#include <stdexcept>
#include <string_view>

#include "framework/core/text.h"

namespace ordinal {

/// Input data that cannot be used: a missing, empty or too short file, a token outside the vocabulary.
struct DataError : std::runtime_error {
  explicit DataError(std::string_view message) : runtime_error(printable_lines(message)) {}
};

/// Settings that cannot be used: an unknown key, a value of the wrong type or range, settings that contradict
/// each other.
struct ConfigError : std::runtime_error {
  explicit ConfigError(std::string_view message) : runtime_error(printable_lines(message)) {}
};

/// A checkpoint that cannot be used: truncated, corrupt, in another format, or for another configuration.
struct CheckpointError : std::runtime_error {
  explicit CheckpointError(std::string_view message) : runtime_error(printable_lines(message)) {}
};

/// Positions that an encoding or a position scheme does not support: past the end of a table, too far apart
/// for the range of a number. A comparison reports it as `fails`; it is a result, not a bug.
struct PositionError : std::runtime_error {
  explicit PositionError(std::string_view message) : runtime_error(printable_lines(message)) {}
};

/// A run that ended early on request; see Run.
struct Stopped : std::runtime_error {
  Stopped() : std::runtime_error("the run was stopped") {}
};

}  // namespace ordinal

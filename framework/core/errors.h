// The exceptions of the framework. Every message names the thing, what was got, what was expected and, where
// there is one, how to fix it. Bad arguments are std::invalid_argument, an index that a caller got wrong is
// std::out_of_range.
#pragma once

#include <stdexcept>

namespace ordinal {

/// Input data that cannot be used: a missing, empty or too short file, a token out of the vocabulary.
class DataError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Settings that cannot be used: an unknown key, a value of the wrong type or range, settings that
/// contradict.
class ConfigError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A checkpoint that cannot be used: truncated, corrupt, foreign, or of another configuration.
class CheckpointError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Positions that an encoding or a position scheme cannot serve: past the end of a table, too far apart for the
/// range of a number. A comparison shows it as `fails`; it is a result, not a bug.
class PositionError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace ordinal

// What one entry of positional.encodings says: an encoding, and at which positions it is trained and tested.
#pragma once

#include <string>

#include "experiments/settings/settings.h"
#include "framework/positional/positional_encoding.h"

namespace ordinal {

/// "rope", "rope@yarn", "learned@randomized:spaced": encoding, @ positions in training, : positions in the
/// test.
struct EncodingChoice {
  std::string encoding;
  std::string training;  // a scheme of position_scheme.h
  std::string test;
};

/// What an entry leaves out is taken from positional.positions and positional.test_positions. Throws
/// ConfigError for an unknown encoding or scheme, or a scheme that has no meaning for the encoding.
EncodingChoice encoding_choice(const Settings& settings, const std::string& entry);

/// Whether `part` is one of the encodings that are joined in a name such as "sinusoidal+t5". Throws
/// ConfigError for an unknown one.
bool has_part(const std::string& encoding, const std::string& part);

/// Whether positional.scale, or positional.offset in the test, changes anything for an entry.
bool heeds_scale(const EncodingChoice& choice);
bool heeds_offset(const EncodingChoice& choice);

/// The encoding of an entry, all but its sizes.
EncodingConfig encoding_config(const Settings& settings, const std::string& entry);

}  // namespace ordinal

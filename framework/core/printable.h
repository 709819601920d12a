// Text from outside, for messages: a message is one line, and a terminal would obey control characters.
#pragma once

#include <string>
#include <string_view>

namespace ordinal {

/// The text with each control character written as \x1b.
std::string printable(std::string_view text);

}  // namespace ordinal

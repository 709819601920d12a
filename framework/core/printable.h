// Text from outside, for messages and terminals, which obey control characters.
#pragma once

#include <string>
#include <string_view>

namespace ordinal {

/// The text with each control character written as \x1b, those of UTF-8 as \xc2\x9b.
std::string printable(std::string_view text);

/// The same for a text of several lines: its line breaks and tabs stay.
std::string printable_lines(std::string_view text);

}  // namespace ordinal

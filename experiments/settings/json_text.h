// What JSON can hold as text, for callers that do not include the JSON library.
#pragma once

#include <string>

namespace ordinal::experiments {

/// Whether the text is UTF-8. Names of files may be any bytes.
bool json_can_hold(const std::string& text);

}  // namespace ordinal::experiments

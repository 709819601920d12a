// How this library was built, for the manifest of a run. It does not affect results.
#pragma once

#include <string>

namespace ordinal::experiments {

/// The version of the project, "0.1.0".
std::string version();

/// Name and version of the compiler, "GNU 12.2.0".
std::string compiler();

/// The flags that determine which instructions the compiler may use, "-O3 -DNDEBUG … -march=native".
std::string compile_flags();

/// "Release" or "Debug".
std::string build_type();

}  // namespace ordinal::experiments

// CMakeLists.txt defines the four macros used here, for this file only.
#include "framework/core/build_info.h"

namespace ordinal {

std::string version() { return ORDINAL_VERSION; }
std::string compiler() { return ORDINAL_COMPILER; }
std::string compile_flags() { return ORDINAL_FLAGS; }
std::string build_type() { return ORDINAL_BUILD_TYPE; }

}  // namespace ordinal

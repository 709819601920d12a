// CMakeLists.txt defines the four macros used here, for this file only.
#include "experiments/process/build_info.h"

namespace ordinal::experiments {

std::string version() { return ORDINAL_VERSION; }
std::string compiler() { return ORDINAL_COMPILER; }
std::string compile_flags() { return ORDINAL_FLAGS; }
std::string build_type() { return ORDINAL_BUILD_TYPE; }

}  // namespace ordinal::experiments

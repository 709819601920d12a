#include "framework/core/ranges.h"

#include <algorithm>

namespace ordinal {

std::vector<ParameterRange> parameter_ranges(const ParameterLayout& layout) {
  constexpr Index longest = 16384;
  std::vector<ParameterRange> ranges;
  for (const ParameterSpec& spec : layout.specs()) {
    for (Index done = 0; done < spec.size(); done += longest) {
      ranges.push_back({spec.slot.offset + done, std::min(longest, spec.size() - done), spec.decay});
    }
  }
  return ranges;
}

}  // namespace ordinal

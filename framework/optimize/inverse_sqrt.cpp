// inverse_sqrt: √(warmup/s) of the peak at step s.
#include <algorithm>
#include <cmath>

#include "framework/optimize/schedule.h"

namespace ordinal {

ScheduleEntry inverse_sqrt_schedule() {
  const auto share = [](const ScheduleOptions& of, double s, double /*r*/) {
    return std::sqrt(std::max(static_cast<double>(of.warmup), 1.0) / s);
  };
  return {"inverse_sqrt", "decays as 1/√step; Vaswani et al. 2017", share};
}

}  // namespace ordinal

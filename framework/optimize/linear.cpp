// linear: from the peak to final_fraction of it along a line.
#include "framework/optimize/schedule.h"

namespace ordinal {

ScheduleEntry linear_schedule() {
  const auto share = [](const ScheduleOptions& of, double /*s*/, double r) {
    return 1.0 - (1.0 - of.final_fraction) * r;
  };
  return {"linear", "decays linearly", share, specs_of<ScheduleOptions>()};
}

}  // namespace ordinal

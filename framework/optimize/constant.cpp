// constant: the peak at every step.
#include "framework/optimize/schedule.h"

namespace ordinal {

ScheduleEntry constant_schedule() {
  return {"constant", "the peak", [](const ScheduleOptions&, double, double) { return 1.0; }};
}

}  // namespace ordinal

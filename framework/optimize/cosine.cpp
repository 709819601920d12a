// cosine: from the peak to final_fraction of it along half a cosine.
#include <cmath>
#include <numbers>

#include "framework/optimize/schedule.h"

namespace ordinal {

ScheduleEntry cosine_schedule() {
  const auto share = [](const ScheduleOptions& of, double /*s*/, double r) {
    const double fall = 1.0 - of.final_fraction;
    return of.final_fraction + fall * 0.5 * (1.0 + std::cos(std::numbers::pi * r));
  };
  return {"cosine", "decays along half a cosine; Loshchilov & Hutter 2017", share,
          specs_of<ScheduleOptions>()};
}

}  // namespace ordinal

#include "framework/optimize/schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "framework/core/part.h"

namespace ordinal {

#define ORDINAL_SCHEDULE(name) ScheduleEntry name##_schedule();
#include "framework/optimize/schedules.inc"
#undef ORDINAL_SCHEDULE

Registry<ScheduleEntry>& schedules() {
  static Registry<ScheduleEntry> all("schedule", {
#define ORDINAL_SCHEDULE(name) name##_schedule(),
#include "framework/optimize/schedules.inc"
#undef ORDINAL_SCHEDULE
                                                 });
  return all;
}

void ScheduleOptions::visit(OptionVisitor& v) {
  v.number("final_fraction", final_fraction, between(0, 1),
           "learning rate at the end, as a share of the peak", Binds::training);
}

bool ScheduleOptions::depends_on_steps() const { return !schedules().find(name).options.empty(); }

ScheduleOptions make_schedule(const PartList& schedule) {
  const Part& part = schedule.only();
  check_values(part.name, schedules().find(part.name).options, part.options);
  return read_options(part.name, part.options, ScheduleOptions{.name = part.name});
}

void check_schedule(const ScheduleOptions& options) {
  schedules().find(options.name);
  check_options(options.name, options);
  if (options.peak >= 0.0 && std::isfinite(options.peak) && options.steps >= 0 && options.warmup >= 0) return;
  throw ConfigError(
      fmt::format("{}: got a peak of {}, {} steps and {} of warm-up, expected at least 0 of each",
                  options.name, options.peak, options.steps, options.warmup));
}

double learning_rate(const ScheduleOptions& options, Index step) {
  const auto s = static_cast<double>(step + 1);
  const auto warmup = static_cast<double>(options.warmup);
  if (s <= warmup) return options.peak * s / warmup;
  const double decay_steps = std::max(1.0, static_cast<double>(options.steps) - warmup);
  const double r = std::min(1.0, (s - warmup) / decay_steps);
  return options.peak * schedules().find(options.name).share(options, s, r);
}

}  // namespace ordinal

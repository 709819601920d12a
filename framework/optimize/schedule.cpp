#include "framework/optimize/schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "framework/core/part.h"

namespace ordinal {

const Registry<ScheduleEntry>& schedules() {
  static const Registry<ScheduleEntry> all(
      "schedule",
      {{"constant", "the peak", [](const ScheduleOptions&, double, double) { return 1.0; }},
       {"cosine", "decays along half a cosine; Loshchilov & Hutter 2017",
        [](const ScheduleOptions& of, double, double r) {
          const double fall = 1.0 - of.final_fraction;
          return of.final_fraction + fall * 0.5 * (1.0 + std::cos(std::numbers::pi * r));
        },
        specs_of<ScheduleOptions>()},
       {"linear", "decays linearly",
        [](const ScheduleOptions& of, double, double r) { return 1.0 - (1.0 - of.final_fraction) * r; },
        specs_of<ScheduleOptions>()},
       {"inverse_sqrt", "decays as 1/√step; Vaswani et al. 2017",
        [](const ScheduleOptions& of, double s, double) {
          return std::sqrt(std::max(static_cast<double>(of.warmup), 1.0) / s);
        }}});
  return all;
}

void ScheduleOptions::visit(OptionVisitor& v) {
  v.number("final_fraction", final_fraction, between(0, 1),
           "learning rate at the end, as a share of the peak", Binds::training);
}

bool ScheduleOptions::depends_on_steps() const { return !schedules().find(name).options.empty(); }

ScheduleOptions make_schedule(const std::string& text) {
  const Part part = parse_part(text);
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

#include "framework/optimize/schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace ordinal {
namespace {

ScheduleEntry with_options(ScheduleEntry entry) {
  OptionVisitor visitor;
  if (entry.depends_on_steps) ScheduleOptions().visit_end(visitor);
  entry.options = visitor.specs();
  return entry;
}

Registry<ScheduleEntry>& schedule_registry() {
  static Registry<ScheduleEntry> all(
      "schedule",
      {with_options({"constant", "the peak", [](const ScheduleOptions&, double, double) { return 1.0; }}),
       with_options({"cosine", "decays along half a cosine; Loshchilov & Hutter 2017",
                     [](const ScheduleOptions& of, double, double r) {
                       const double fall = 1.0 - of.final_fraction;
                       return of.final_fraction + fall * 0.5 * (1.0 + std::cos(std::numbers::pi * r));
                     },
                     true}),
       with_options(
           {"linear", "decays linearly",
            [](const ScheduleOptions& of, double, double r) { return 1.0 - (1.0 - of.final_fraction) * r; },
            true}),
       with_options({"inverse_sqrt", "decays as 1/√step; Vaswani et al. 2017",
                     [](const ScheduleOptions& of, double s, double) {
                       return std::sqrt(std::max(static_cast<double>(of.warmup), 1.0) / s);
                     }})});
  return all;
}

}  // namespace

void ScheduleOptions::visit(OptionVisitor& v) {
  if (depends_on_steps()) visit_end(v);
}

void ScheduleOptions::visit_end(OptionVisitor& v) {
  v.number("final_fraction", final_fraction, between(0, 1),
           "learning rate at the end, as a share of the peak", Binds::training);
}

bool ScheduleOptions::depends_on_steps() const { return schedules().find(name).depends_on_steps; }

const Registry<ScheduleEntry>& schedules() { return schedule_registry(); }

void register_schedule(ScheduleEntry entry) { schedule_registry().add(with_options(std::move(entry))); }

ScheduleOptions make_schedule(const std::string& text) {
  const Part part = parse_part(text);
  return read_options(part.name, part.options, ScheduleOptions{.name = schedules().find(part.name).name});
}

void check_schedule(const ScheduleOptions& options) {
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

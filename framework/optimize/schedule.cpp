#include "framework/optimize/schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

namespace ordinal {

void ScheduleOptions::visit(OptionVisitor& v) {
  if (!depends_on_steps()) return;
  v.number("final_fraction", final_fraction, between(0, 1),
           "learning rate at the end, as a share of the peak", Binds::training);
}

const Registry<ScheduleEntry>& schedules() {
  static const Registry<ScheduleEntry> all = [] {
    std::vector<ScheduleEntry> entries = {
        {"constant", "the peak", {}},
        {"cosine", "decays along half a cosine; Loshchilov & Hutter 2017", {}},
        {"linear", "decays linearly", {}},
        {"inverse_sqrt", "decays as 1/√step; Vaswani et al. 2017", {}}};
    for (ScheduleEntry& entry : entries) entry.options = specs_of(ScheduleOptions{.name = entry.name});
    return Registry<ScheduleEntry>("schedule", std::move(entries));
  }();
  return all;
}

ScheduleOptions make_schedule(const std::string& text) {
  const Part part = parse_part(text);
  ScheduleOptions options{.name = schedules().find(part.name).name};
  OptionReader reader(part.name, part.options);
  options.visit(reader);
  reader.check();
  return options;
}

double learning_rate(const ScheduleOptions& options, Index step) {
  const auto s = static_cast<double>(step + 1);
  const auto warmup = static_cast<double>(options.warmup);
  if (s <= warmup) return options.peak * s / warmup;
  const double decay_steps = std::max(1.0, static_cast<double>(options.steps) - warmup);
  const double progress = std::min(1.0, (s - warmup) / decay_steps);
  const double fall = 1.0 - options.final_fraction;
  if (options.name == "constant") return options.peak;
  if (options.name == "cosine") {
    return options.peak *
           (options.final_fraction + fall * 0.5 * (1.0 + std::cos(std::numbers::pi * progress)));
  }
  if (options.name == "linear") return options.peak * (1.0 - fall * progress);
  if (options.name == "inverse_sqrt") return options.peak * std::sqrt(std::max(warmup, 1.0) / s);
  schedules().find(options.name);
  throw std::logic_error(fmt::format("schedule {} has no formula", options.name));
}

}  // namespace ordinal

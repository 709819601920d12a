// Learning rate as a function of the step.
#pragma once

#include <string>
#include <vector>

#include "framework/core/options.h"
#include "framework/core/part.h"
#include "framework/core/registry.h"

namespace ordinal {

/// With s = step + 1 (steps count from 0), w = warmup, N = steps and f = final_fraction:
///   s <= w        peak · s/w
///   constant      peak
///   cosine        peak · (f + (1 - f)(1 + cos(π r))/2),  r = (s - w)/(N - w)     Loshchilov & Hutter 2017
///   linear        peak · (1 - (1 - f) r)
///   inverse_sqrt  peak · √(max(w, 1)/s)                                          Vaswani et al. 2017, eq. 3
struct ScheduleOptions {
  std::string name = "cosine";
  double peak = 1e-3;
  Index steps = 1000;
  Index warmup = 100;
  double final_fraction = 0.1;

  /// The options that the schedule of this name has. The others are the same for all schedules.
  void visit(OptionVisitor& v);
  /// Whether the rate at a step depends on the total number of steps.
  bool depends_on_steps() const { return name == "cosine" || name == "linear"; }
};

/// Describes a schedule.
struct ScheduleEntry {
  std::string name;
  std::string summary;
  std::vector<OptionSpec> options;
};

const Registry<ScheduleEntry>& schedules();

/// The schedule that "cosine" or "cosine(final_fraction=0)" names. Throws ConfigError.
ScheduleOptions make_schedule(const std::string& text);

/// Throws ConfigError for an unknown name.
double learning_rate(const ScheduleOptions& options, Index step);

}  // namespace ordinal

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

  /// Visits the options of the schedule with this name. All schedules share the other fields.
  void visit(OptionVisitor& v);
  /// Visits the options of a schedule that depends on the number of steps.
  void visit_end(OptionVisitor& v);
  bool depends_on_steps() const;
};

/// One entry of the registry.
struct ScheduleEntry {
  std::string name;
  std::string summary;
  /// The rate at s after the warm-up, as a share of the peak, with r as above, from 0 to 1.
  double (*share)(const ScheduleOptions& options, double s, double r) = nullptr;
  bool depends_on_steps = false;  // the share at a step depends on the total number of steps

  std::vector<OptionSpec> options = {};  // filled in by the registry
};

const Registry<ScheduleEntry>& schedules();

/// Adds a user-defined schedule, before the first use of a config. Throws std::invalid_argument if the name is taken.
void register_schedule(ScheduleEntry entry);

/// The schedule for a text such as "cosine" or "cosine(final_fraction=0)". Throws ConfigError.
ScheduleOptions make_schedule(const std::string& text);

/// Throws ConfigError for an unknown name, or a number that is out of range.
void check_schedule(const ScheduleOptions& options);

/// Throws ConfigError for an unknown name.
double learning_rate(const ScheduleOptions& options, Index step);

}  // namespace ordinal

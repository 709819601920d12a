// Learning rate as a function of the step. To add a schedule, write one file and one line in schedules.inc; see cosine.cpp.
#pragma once

#include <string>
#include <vector>

#include "framework/core/options.h"
#include "framework/core/part.h"
#include "framework/core/registry.h"

namespace ordinal {

/// The learning rate rises linearly to the peak in `warmup` steps, then follows the schedule of that name.
struct ScheduleOptions {
  std::string name = "cosine";
  double peak = 1e-3;
  Index steps = 1000;
  Index warmup = 100;
  double final_fraction = 0.1;

  /// Visits `final_fraction`, the option of schedules that end at it. All share the other fields.
  void visit(OptionVisitor& v);
  /// Whether the rate at a step depends on the total number of steps: the schedule then ends at `final_fraction`.
  bool depends_on_steps() const;
};

/// One entry of the registry.
struct ScheduleEntry {
  std::string name;
  std::string summary;
  /// The rate at step s, counted from 1, as a share of the peak from 0 to 1: r is (s - warmup) / (steps - warmup), from 0 to 1.
  /// A schedule that reads r or `steps` ends at final_fraction, and has this option.
  double (*share)(const ScheduleOptions& options, double s, double r);
  std::vector<OptionSpec> options = {};
};

/// All schedules, in the order of schedules.inc.
Registry<ScheduleEntry>& schedules();

/// The schedule for a text such as "cosine" or "cosine(final_fraction=0)". Throws ConfigError.
ScheduleOptions make_schedule(const PartList& schedule);

/// Throws ConfigError for an unknown name, or a number that is out of range.
void check_schedule(const ScheduleOptions& options);

/// Throws ConfigError for an unknown name.
double learning_rate(const ScheduleOptions& options, Index step);

}  // namespace ordinal

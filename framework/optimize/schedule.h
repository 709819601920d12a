// Learning rate as a function of the step.
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
  /// The rate at step s, counted from 1, as a share of the peak: r is (s - warmup) / (steps - warmup), from 0 to 1.
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

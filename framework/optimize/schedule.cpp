#include "framework/optimize/schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "framework/core/errors.h"

namespace ordinal {

const std::vector<std::string>& schedule_names() {
  static const std::vector<std::string> names = {"constant", "cosine", "linear", "inverse_sqrt"};
  return names;
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
  throw ConfigError(fmt::format("train.schedule: got '{}', expected constant, cosine, linear or inverse_sqrt",
                                options.name));
}

}  // namespace ordinal

// Learning rate as a function of the step.
#pragma once

#include <string>
#include <vector>

#include "framework/core/tensor.h"

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
};

/// Throws ConfigError for an unknown name.
double learning_rate(const ScheduleOptions& options, Index step);

/// constant, cosine, linear, inverse_sqrt.
const std::vector<std::string>& schedule_names();

}  // namespace ordinal

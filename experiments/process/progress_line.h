// The progress of one training as a line: plain for a log, with a bar and the course of the loss for a terminal.
#pragma once

#include <string>
#include <vector>

#include "framework/core/tensor.h"

namespace ordinal::experiments {

/// The losses of a training so far, as at most 64 means over equally many steps.
class LossCourse {
 public:
  /// A loss that is not finite is left out.
  void add(double loss);
  /// Oldest first.
  const std::vector<double>& means() const { return means_; }

 private:
  std::vector<double> means_;
  Index steps_in_mean_ = 1;
  Index steps_ = 0;  // of the mean that is not complete
  double sum_ = 0.0;
};

/// A training after some step.
struct TrainingStatus {
  std::string label;
  Index step = 0;
  Index steps = 0;    // of the whole training
  double loss = 0.0;  // bits per token
  double tokens_per_second = 0.0;
  std::string time_left;
  std::vector<double> losses = {};  // see LossCourse::means()
};

/// "rope  step 20/1500  loss 3.123 bits  12345 tokens/s  1 min 20 s left".
std::string plain_line(const TrainingStatus& status);

/// The same with a bar and a sparkline, at most `columns` wide: what does not fit is left out.
std::string drawn_line(const TrainingStatus& status, std::size_t columns);

/// A text cut to `columns`.
std::string fitted(const std::string& text, std::size_t columns);

/// One character for each value, or for each of `columns` groups of neighbours: ▁ for the lowest to █ for the highest.
std::string sparkline(const std::vector<double>& values, std::size_t columns);

}  // namespace ordinal::experiments

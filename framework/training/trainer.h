// One step of the training loop: gradient, clipping, schedule, optimizer. A Trainer holds all state that
// changes in training; a checkpoint saves that state.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "framework/optimize/optimizer.h"
#include "framework/optimize/schedule.h"
#include "framework/training/batch.h"
#include "framework/training/gradient.h"
#include "framework/training/model.h"

namespace ordinal {

struct TrainerOptions {
  std::string optimizer = "adamw";  // a name, optionally with options: "adamw(beta2=0.99)"
  ScheduleOptions schedule;
  double clip = 1.0;       // largest global norm of the gradient; 0: no clipping
  Index shards = 1;        // a power of two
  std::uint64_t seed = 1;  // for the initial parameters, the dropout masks and random positions
  PositionScheme positions = {};
};

/// The results of a step.
struct StepResult {
  double loss = 0.0;           // mean, nats per target, before the step
  double gradient_norm = 0.0;  // before clipping
  double learning_rate = 0.0;
  bool taken = true;   // false: loss or gradient not finite, or loss too large; nothing has changed
  bool finite = true;  // false: the step was taken, and the parameters are no longer finite
};

template <typename T>
class Trainer {
 public:
  /// Parameters start from their initialisers and options.seed. `model` and `threads` must outlive this object, and values() and
  /// optimizer() are valid as long as it. Throws ConfigError for options that are out of range, std::invalid_argument as
  /// check_shards() does.
  Trainer(const Model<T>& model, const TrainerOptions& options, Threads& threads);

  /// One step on the gradient of all batches together; counts the step if it is taken. Throws as BatchGradient::compute() does;
  /// values, optimizer and steps() have not changed then.
  StepResult step(std::span<const Batch> batches);

  /// In nats per target: 100 times the loss of a model that knows nothing and gives all tokens the same probability. A larger
  /// loss means that training has diverged.
  double largest_loss() const;
  /// Where a step that was not taken is first infinite or NaN. Computes it again and checks every layer.
  std::string find_non_finite(std::span<const Batch> batches);
  /// Counts a step that was not taken.
  void skip_step() { ++steps_; }

  /// Steps taken.
  Index steps() const { return steps_; }
  void set_steps(Index steps) { steps_ = steps; }

  const Model<T>& model() const { return model_; }
  const PositionScheme& positions() const { return options_.positions; }
  Parameters<T>& values() { return values_; }
  const Parameters<T>& values() const { return values_; }
  Optimizer<T>& optimizer() { return *optimizer_; }
  Index memory_bytes() const;
  /// Starts measuring the time of the parts of the model.
  void measure_parts() { gradient_.measure_parts(); }
  /// Seconds by part, summed over all threads; the optimizer's time includes the norm of the gradient and
  /// clipping.
  SecondsByPart seconds_by_part() const;

 private:
  const Model<T>& model_;
  TrainerOptions options_;
  Threads& threads_;
  Parameters<T> values_;
  BatchGradient<T> gradient_;
  GlobalNorm<T> norm_;
  std::unique_ptr<Optimizer<T>> optimizer_;
  Index steps_ = 0;
  Stopwatch<T> optimizer_time_;
};

}  // namespace ordinal

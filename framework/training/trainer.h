// One step of the training loop: gradient, clipping, schedule, optimizer. A Trainer holds all state that
// changes in training; a checkpoint saves that state.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "framework/core/errors.h"
#include "framework/optimize/optimizer.h"
#include "framework/optimize/schedule.h"
#include "framework/training/batch.h"
#include "framework/training/gradient.h"
#include "framework/training/model.h"

namespace ordinal {

struct TrainerOptions {
  PartList optimizer = "adamw";  // a name, optionally with options: "adamw(beta2=0.99)"
  ScheduleOptions schedule;
  double clip = 1.0;       // largest global norm of the gradient; 0: no clipping
  Index shards = 1;        // a power of two
  std::uint64_t seed = 1;  // for the initial parameters, the dropout masks and random positions
  PositionScheme positions = {};
};

/// The results of a step.
struct StepResult {
  double loss = 0.0;           // mean, nats per target, before the step; 0 without a target
  Index targets = 0;           // of all batches
  double gradient_norm = 0.0;  // before clipping
  double learning_rate = 0.0;
  bool taken =
      true;  // false: nothing has changed; loss or square of the gradient not finite, or loss too large
  bool finite = true;  // false: the step was taken, and the parameters are no longer finite
};

template <typename T>
class Trainer {
 public:
  /// Parameters start from their initialisers and options.seed. `model` and `threads` must outlive this object, and values() and
  /// optimizer() are valid as long as it. Throws ConfigError for options that are out of range, std::invalid_argument as
  /// check_shards() does.
  Trainer(const Model<T>& model, const TrainerOptions& options, Threads& threads)
      : model_(model),
        options_(options),
        threads_(threads),
        values_(model.layout()),
        gradient_(model, values_, options.shards, threads, options.positions),
        norm_(model.layout()),
        optimizer_(make_optimizer<T>(options.optimizer, model.layout())) {
    check_schedule(options.schedule);
    if (!(options.clip >= 0.0))
      throw ConfigError(fmt::format("clip: got {}, expected at least 0", options.clip));
    initialize(values_, options.seed);
  }

  /// One step on the gradient of all batches together; counts the step if it is taken. Throws as BatchGradient::compute() does;
  /// values, optimizer and steps() have not changed then.
  StepResult step(std::span<const Batch> batches) {
    StepResult result;
    for (const Batch& batch : batches) result.targets += count_targets(batch.targets);
    result.loss = gradient_.compute(batches, key());
    optimizer_time_.start();
    result.gradient_norm = norm_.of(gradient_.gradients(), threads_);
    result.learning_rate = learning_rate(options_.schedule, steps_);
    const double factor = clip_factor(result.gradient_norm, options_.clip);
    const T clipped = static_cast<T>(result.gradient_norm * factor);  // optimizers keep its square
    result.taken = result.loss <= largest_loss() && std::isfinite(clipped * clipped);
    if (!result.taken) return result;
    optimizer_->step(values_, gradient_.gradients(), factor, result.learning_rate, steps_, threads_);
    result.finite = std::isfinite(norm_.of(values_, threads_));
    optimizer_time_.end("optimizer");
    ++steps_;
    return result;
  }

  /// In nats per target: 100 times the loss of a model that knows nothing and gives all tokens the same probability. A larger
  /// loss means that training has diverged.
  double largest_loss() const {
    return 100.0 * std::log(static_cast<double>(std::max<Index>(2, model_.vocab_size())));
  }
  /// Where a step that was not taken is first infinite or NaN. Computes it again and checks every layer.
  std::string find_non_finite(std::span<const Batch> batches) {
    const std::string parameter = first_not_finite(values_);
    if (!parameter.empty()) return parameter + ": it is not finite before this step";
    const std::string found = gradient_.find_non_finite(batches, key());
    return found.empty() ? "the sum of the gradients" : found;
  }
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
  Index memory_bytes() const {
    const auto blocks = static_cast<Index>(1 + optimizer_->state().size());
    return blocks * model_.layout().flat_size() * static_cast<Index>(sizeof(T)) + gradient_.memory_bytes();
  }
  /// Starts measuring the time of the parts of the model.
  void measure_parts() { gradient_.measure_parts(); }
  /// Seconds by part, summed over all threads; the optimizer's time includes the norm of the gradient and
  /// clipping.
  SecondsByPart seconds_by_part() const {
    SecondsByPart seconds = gradient_.seconds_by_part();
    for (const auto& [part, time] : optimizer_time_.seconds()) seconds[part] += time * threads_.count();
    return seconds;
  }

 private:
  RandomKey key() const { return {.seed = options_.seed, .step = static_cast<std::uint32_t>(steps_)}; }

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

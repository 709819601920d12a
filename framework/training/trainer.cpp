#include "framework/training/trainer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "framework/core/errors.h"

namespace ordinal {

template <typename T>
Trainer<T>::Trainer(const Model<T>& model, const TrainerOptions& options, Threads& threads)
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

template <typename T>
StepResult Trainer<T>::step(std::span<const Batch> batches) {
  StepResult result;
  result.loss = gradient_.compute(batches, {options_.seed, static_cast<std::uint32_t>(steps_)});
  optimizer_time_.start();
  result.gradient_norm = norm_.of(gradient_.gradients(), threads_);
  result.learning_rate = learning_rate(options_.schedule, steps_);
  result.taken = result.loss <= largest_loss() && std::isfinite(result.gradient_norm);
  if (!result.taken) return result;
  optimizer_->step(values_, gradient_.gradients(), clip_factor(result.gradient_norm, options_.clip),
                   result.learning_rate, steps_, threads_);
  result.finite = std::isfinite(norm_.of(values_, threads_));
  optimizer_time_.end("optimizer");
  ++steps_;
  return result;
}

template <typename T>
double Trainer<T>::largest_loss() const {
  return 100.0 * std::log(static_cast<double>(std::max<Index>(2, model_.vocab_size())));
}

template <typename T>
std::string Trainer<T>::find_non_finite(std::span<const Batch> batches) {
  const std::string parameter = first_not_finite(values_);
  if (!parameter.empty()) return parameter + ": it is not finite before this step";
  const std::string found =
      gradient_.find_non_finite(batches, {options_.seed, static_cast<std::uint32_t>(steps_)});
  return found.empty() ? "the sum of the gradients" : found;
}

template <typename T>
SecondsByPart Trainer<T>::seconds_by_part() const {
  SecondsByPart seconds = gradient_.seconds_by_part();
  for (const auto& [part, time] : optimizer_time_.seconds()) seconds[part] += time * threads_.count();
  return seconds;
}

template <typename T>
Index Trainer<T>::memory_bytes() const {
  const auto blocks = static_cast<Index>(1 + optimizer_->state().size());
  return blocks * model_.layout().flat_size() * static_cast<Index>(sizeof(T)) + gradient_.memory_bytes();
}

ORDINAL_INSTANTIATE(Trainer);

}  // namespace ordinal

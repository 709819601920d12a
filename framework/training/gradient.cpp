#include "framework/training/gradient.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <stdexcept>

#include "framework/layers/cross_entropy.h"
#include "framework/math/vector_math.h"

namespace ordinal {

Index default_shards(Index batch, Index seq_len) {
  constexpr Index shard_tokens = 1024;
  Index shards = 1;
  while (batch * seq_len / shards > shard_tokens && 2 * shards <= batch) shards *= 2;
  return shards;
}

Index sequences_at_once(Index seq_len) {
  constexpr Index tokens = 256;
  if (seq_len < 1) throw std::invalid_argument(fmt::format("seq_len: got {}, expected at least 1", seq_len));
  return std::max<Index>(1, tokens / seq_len);
}

void check_shards(Index shards) {
  if (shards > 0 && std::has_single_bit(static_cast<std::size_t>(shards))) return;
  throw std::invalid_argument(fmt::format("shards: got {}, expected a power of two", shards));
}

template <typename T>
std::string non_finite_of(const FiniteProbe<T>& probe, double loss, const Parameters<T>& gradients,
                          Index first_example, Index seq_len) {
  if (probe.found()) {
    return fmt::format("{} for example {}, token {}", probe.describe(), first_example + probe.row() / seq_len,
                       probe.row() % seq_len);
  }
  if (!std::isfinite(loss)) return "cross_entropy, forward: the loss";
  const std::string parameter = first_not_finite(gradients);
  return parameter.empty() ? "" : fmt::format("{}, backward: its gradient", parameter);
}

template <typename T>
BatchGradient<T>::BatchGradient(const Model<T>& model, const Parameters<T>& values, Index shards,
                                Threads& threads, const PositionScheme& scheme)
    : model_(model), threads_(threads), scheme_(scheme), ranges_(parameter_ranges(model.layout())) {
  check_shards(shards);
  check_options(scheme.name(), scheme);
  for (Index i = 0; i < shards; ++i) shards_.push_back(std::make_unique<Shard>(values.layout()));
  for (Index i = 0; i < std::min<Index>(shards, threads.count()); ++i)
    passes_.push_back(std::make_unique<Pass<T>>(values));
}

template <typename T>
double BatchGradient<T>::compute(std::span<const Batch> batches, Key key) {
  return compute(Step{batches, key});
}

template <typename T>
double BatchGradient<T>::compute(Step step) {
  if (step.batches.empty()) throw std::invalid_argument("BatchGradient: got no batch, expected at least one");
  Index targets = 0;
  for (const Batch& batch : step.batches) {
    check_batch(batch, model_.vocab_size());
    targets += count_targets(batch.targets);
  }
  if (targets > 0) step.weight = static_cast<T>(1.0 / static_cast<double>(targets));
  run_shards(step);
  double loss = 0.0;
  for (const auto& shard : shards_) loss += shard->loss;
  reduction_.start();
  add_up();
  reduction_.end("reduction");
  return targets > 0 ? loss / static_cast<double>(targets) : 0.0;
}

// A pass takes the shard of its own number first, so that each has its memory after one step, whichever threads were free.
template <typename T>
void BatchGradient<T>::run_shards(const Step& step) {
  std::atomic<Index> next = std::ssize(passes_);
  threads_.run(std::ssize(passes_), [&](Index worker) {
    Pass<T>& pass = *passes_[static_cast<std::size_t>(worker)];
    for (Index index = worker; index < std::ssize(shards_); index = next++) run_shard(index, step, pass);
  });
}

template <typename T>
void BatchGradient<T>::run_shard(Index index, const Step& step, Pass<T>& pass) {
  Shard& shard = *shards_[static_cast<std::size_t>(index)];
  std::ranges::fill(shard.gradients.flat(), T(0));
  shard.loss = 0.0;
  shard.finite = {};
  shard.not_finite.clear();
  pass.set_gradients(shard.gradients);
  Index first_example = 0;
  for (const Batch& batch : step.batches) {
    const Index begin = batch.size * index / std::ssize(shards_);
    const Index end = batch.size * (index + 1) / std::ssize(shards_);
    const Index most = sequences_at_once(batch.seq_len);
    for (Index first = begin; first < end; first += most) {
      run_part(shard, batch, {first, std::min(most, end - first), (first - begin) / most}, first_example,
               step, pass);
    }
    first_example += batch.size;
  }
}

// Reuses positions that are the same in every step.
template <typename T>
const Positions& BatchGradient<T>::place(Shard& shard, const Batch& batch, const ShardPart& part,
                                         const RandomKey& key) const {
  const auto number = static_cast<std::size_t>(part.number);
  if (shard.positions.size() <= number) shard.positions.resize(number + 1);
  Positions& positions = shard.positions[number];
  const bool fits = positions.batch() == part.size && positions.seq_len() == batch.seq_len;
  if (!fits || scheme_.entry().is_random)
    positions = batch_positions(scheme_, batch, part.first, part.size, key);
  return positions;
}

template <typename T>
void BatchGradient<T>::run_part(Shard& shard, const Batch& batch, const ShardPart& part, Index first_example,
                                const Step& step, Pass<T>& pass) {
  const auto begin = static_cast<std::size_t>(part.first * batch.seq_len);
  const auto length = static_cast<std::size_t>(part.size * batch.seq_len);
  const std::span<const Token> tokens = std::span(batch.tokens).subspan(begin, length);
  const std::span<const Token> targets = std::span(batch.targets).subspan(begin, length);

  const auto example = static_cast<std::uint32_t>(first_example + part.first);
  const RandomKey drawn{.seed = step.key.seed, .step = step.key.step, .example = example};
  RunObserver<T>* observer = nullptr;
  if (measures_) observer = &shard.stopwatch;
  if (step.checks_finite) observer = &shard.finite;
  pass.begin({.positions = place(shard, batch, part, drawn),
              .record = true,
              .training = true,
              .random = drawn,
              .observer = observer});
  shard.stopwatch.start();
  const View<const T> logits = model_.logits(model_.hidden(tokens, pass), pass);
  pass.computed("output", Direction::forward, logits);
  const View<T> d_logits = pass.allocate(logits.rows, logits.cols);
  shard.loss += cross_entropy_backward(logits, targets, step.weight, d_logits);
  pass.computed("cross_entropy", Direction::backward, d_logits);
  model_.backward(tokens, d_logits, pass);
  pass.finish();
  if (step.checks_finite && shard.not_finite.empty())
    shard.not_finite =
        non_finite_of(shard.finite, shard.loss, shard.gradients, first_example + part.first, batch.seq_len);
}

template <typename T>
std::string BatchGradient<T>::find_non_finite(std::span<const Batch> batches, Key key) {
  compute(Step{.batches = batches, .key = key, .checks_finite = true});
  for (const auto& shard : shards_)
    if (!shard->not_finite.empty()) return shard->not_finite;
  return "";
}

// Adds neighbours first, then pairs of pairs. The sum in the first shard does not depend on which thread
// adds which range.
template <typename T>
void BatchGradient<T>::add_up() {
  threads_.run(std::ssize(ranges_), [&](Index task) {
    const ParameterRange& range = ranges_[static_cast<std::size_t>(task)];
    for (std::size_t step = 1; step < shards_.size(); step *= 2) {
      for (std::size_t s = 0; s + step < shards_.size(); s += 2 * step) {
        T* sum = shards_[s]->gradients.flat().data() + range.first;
        vmath::add(sum, shards_[s + step]->gradients.flat().data() + range.first, sum, range.count);
      }
    }
  });
}

template <typename T>
void BatchGradient<T>::measure_parts() {
  measures_ = true;
}

template <typename T>
SecondsByPart BatchGradient<T>::seconds_by_part() const {
  SecondsByPart seconds;
  for (const auto& shard : shards_)
    for (const auto& [part, time] : shard->stopwatch.seconds()) seconds[part] += time;
  for (const auto& [part, time] : reduction_.seconds()) seconds[part] += time * threads_.count();
  return seconds;
}

template <typename T>
Index BatchGradient<T>::memory_bytes() const {
  Index bytes = 0;
  for (const auto& shard : shards_)
    bytes += std::ssize(shard->gradients.flat()) * static_cast<Index>(sizeof(T));
  for (const auto& pass : passes_) bytes += pass->memory_bytes();
  return bytes;
}

template std::string non_finite_of(const FiniteProbe<float>&, double, const Parameters<float>&, Index, Index);
template std::string non_finite_of(const FiniteProbe<double>&, double, const Parameters<double>&, Index,
                                   Index);
ORDINAL_INSTANTIATE(BatchGradient);

}  // namespace ordinal

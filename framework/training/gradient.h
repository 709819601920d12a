// Loss and gradient of a batch, by shards. The batch is split into a fixed number of shards, independent of
// the number of threads. A shard is processed a few sequences at a time. Shard gradients are added in a fixed tree. So the
// same batch gives the same bits on one thread and on many.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "framework/core/pass.h"
#include "framework/core/threads.h"
#include "framework/layers/cross_entropy.h"
#include "framework/math/vector_math.h"
#include "framework/positional/position_scheme.h"
#include "framework/training/batch.h"
#include "framework/training/finite_probe.h"
#include "framework/training/model.h"
#include "framework/training/stopwatch.h"

namespace ordinal {

/// The default number of shards of a batch: the smallest power of two that keeps a shard at no more
/// than about 1,024 tokens, but no more shards than sequences. Depends on the batch alone.
inline Index default_shards(Index batch, Index seq_len) {
  constexpr Index shard_tokens = 1024;
  Index shards = 1;
  while (batch * seq_len / shards > shard_tokens && 2 * shards <= batch) shards *= 2;
  return shards;
}

/// Sequences of a shard per forward and backward run: about 256 tokens, so that what it keeps for backward stays in the
/// caches and a large batch needs little memory. Throws std::invalid_argument for sequences without a token.
inline Index sequences_at_once(Index seq_len) {
  constexpr Index tokens = 256;
  if (seq_len < 1) throw std::invalid_argument(fmt::format("seq_len: got {}, expected at least 1", seq_len));
  return std::max<Index>(1, tokens / seq_len);
}

/// Throws std::invalid_argument unless `shards` is a power of two.
inline void check_shards(Index shards) {
  if (shards > 0 && std::has_single_bit(static_cast<std::size_t>(shards))) return;
  throw std::invalid_argument(fmt::format("shards: got {}, expected a power of two", shards));
}

template <typename T>
class BatchGradient {
 public:
  /// `scheme` assigns positions to the tokens of each example. `model`, `values`, which are those of its layout, and `threads`
  /// must outlive this object. Throws as check_shards() does, and ConfigError for a value that an option of the scheme rejects.
  BatchGradient(const Model<T>& model, const Parameters<T>& values, Index shards, Threads& threads,
                const PositionScheme& scheme = {})
      : model_(model), threads_(threads), scheme_(scheme), ranges_(parameter_ranges(model.layout())) {
    check_shards(shards);
    check_options(scheme.name(), scheme);
    for (Index i = 0; i < shards; ++i) shards_.push_back(std::make_unique<Shard>(values.layout()));
    for (Index i = 0; i < std::min<Index>(shards, threads.count()); ++i)
      passes_.push_back(std::make_unique<Pass<T>>(values));
  }

  /// Mean loss in nats per target over all batches together (gradient accumulation: each is one forward and
  /// backward run). Its gradient stays in gradients() until the next call. Throws std::invalid_argument for no batch, as
  /// check_batch() and batch_positions() do, and what the model throws, such as PositionError for a position that its encoding
  /// does not have. gradients() are then undefined. The seed and the step of `key` are those of dropout masks and random positions.
  double compute(std::span<const Batch> batches, const RandomKey& key) { return compute(Step{batches, key}); }

  /// Computes the gradient again and checks the output of each layer and the gradient of its input. Returns what
  /// FiniteProbe::describe_run() does. Throws as compute().
  std::string find_non_finite(std::span<const Batch> batches, const RandomKey& key) {
    compute(Step{.batches = batches, .key = key, .checks_finite = true});
    for (const auto& shard : shards_)
      if (!shard->not_finite.empty()) return shard->not_finite;
    return "";
  }

  /// Valid as long as this object.
  const Parameters<T>& gradients() const { return shards_.front()->gradients; }
  /// Starts measuring the time of the parts of the model.
  void measure_parts() { measures_ = true; }
  /// Summed over shards, and so over threads; of the parts of the model, only what was measured.
  SecondsByPart seconds_by_part() const {
    SecondsByPart seconds;
    for (const auto& shard : shards_)
      for (const auto& [part, time] : shard->stopwatch.seconds()) seconds[part] += time;
    for (const auto& [part, time] : reduction_.seconds()) seconds[part] += time * threads_.count();
    return seconds;
  }
  /// Bytes of activation and gradient memory held.
  Index memory_bytes() const {
    Index bytes = 0;
    for (const auto& shard : shards_)
      bytes += std::ssize(shard->gradients.flat()) * static_cast<Index>(sizeof(T));
    for (const auto& pass : passes_) bytes += pass->memory_bytes();
    return bytes;
  }

 private:
  struct Shard {
    explicit Shard(const ParameterLayout& layout) : gradients(layout) {}
    Parameters<T> gradients;
    std::vector<Positions> positions;  // of each run of a batch
    double loss = 0.0;
    FiniteProbe<T> finite;
    std::string not_finite;  // the first thing that find_non_finite() found, as text
    Stopwatch<T> stopwatch;
  };

  // What all shards compute.
  struct Step {
    std::span<const Batch> batches;
    RandomKey key;
    bool checks_finite = false;
    T weight = T(0);  // of the loss of a target
  };

  // Sequences of a batch that are computed together.
  struct Part {
    const Batch& batch;
    Index first = 0;
    Index size = 0;
    Index example = 0;  // the number of the first among all examples of the step
  };

  double compute(Step step) {
    if (step.batches.empty())
      throw std::invalid_argument("BatchGradient: got no batch, expected at least one");
    Index targets = 0;
    for (const Batch& batch : step.batches) {
      check_batch(batch, model_.vocab_size());
      targets += count_targets(batch.targets);
    }
    if (targets > 0) step.weight = static_cast<T>(1.0 / static_cast<double>(targets));
    // A pass takes the shard of its own number first, so that each has its memory after one step, whichever threads were free.
    std::atomic<Index> next = std::ssize(passes_);
    threads_.run(std::ssize(passes_), [&](Index worker) {
      Pass<T>& pass = *passes_[static_cast<std::size_t>(worker)];
      for (Index index = worker; index < std::ssize(shards_); index = next++) run_shard(index, step, pass);
    });
    double loss = 0.0;
    for (const auto& shard : shards_) loss += shard->loss;
    reduction_.start();
    add_up();
    reduction_.end("reduction");
    return targets > 0 ? loss / static_cast<double>(targets) : 0.0;
  }

  void run_shard(Index index, const Step& step, Pass<T>& pass) {
    Shard& shard = *shards_[static_cast<std::size_t>(index)];
    std::memset(shard.gradients.flat().data(), 0, shard.gradients.flat().size_bytes());
    shard.loss = 0.0;
    shard.finite = {};
    shard.not_finite.clear();
    pass.set_gradients(shard.gradients);
    Index first_example = 0;
    for (const Batch& batch : step.batches) {
      const Index begin = batch.size * index / std::ssize(shards_);
      const Index end = batch.size * (index + 1) / std::ssize(shards_);
      const Index most = sequences_at_once(batch.seq_len);
      std::size_t number = 0;
      for (Index first = begin; first < end; first += most) {
        if (shard.positions.size() == number) shard.positions.emplace_back();
        run_part(shard, shard.positions[number++],
                 {batch, first, std::min(most, end - first), first_example + first}, step, pass);
      }
      first_example += batch.size;
    }
  }

  void run_part(Shard& shard, Positions& positions, const Part& part, const Step& step, Pass<T>& pass) {
    const Batch& batch = part.batch;
    const Index begin = part.first * batch.seq_len;
    const auto tokens = subspan<const Token>(batch.tokens, begin, part.size * batch.seq_len);
    const auto targets = subspan<const Token>(batch.targets, begin, part.size * batch.seq_len);

    RandomKey drawn = step.key;
    drawn.example = static_cast<std::uint32_t>(part.example);
    const bool fits = positions.batch() == part.size && positions.seq_len() == batch.seq_len;
    if (!fits || scheme_.entry().is_random)  // else they are those of the step before
      positions = batch_positions(scheme_, batch, part.first, part.size, drawn);
    RunObserver<T>* observer = nullptr;
    if (measures_) observer = &shard.stopwatch;
    if (step.checks_finite) observer = &shard.finite;
    pass.begin(
        {.positions = positions, .record = true, .training = true, .random = drawn, .observer = observer});
    shard.stopwatch.start();
    const View<const T> logits = model_.logits(model_.hidden(tokens, pass), pass);
    pass.computed("output", Direction::forward, logits);
    const View<T> d_logits = pass.allocate(logits.rows, logits.cols);
    shard.loss += cross_entropy_backward(logits, targets, step.weight, d_logits);
    pass.computed("cross_entropy", Direction::backward, d_logits);
    model_.backward(tokens, d_logits, pass);
    pass.finish();
    if (step.checks_finite && shard.not_finite.empty())
      shard.not_finite = shard.finite.describe_run(shard.loss, shard.gradients, part.example, batch.seq_len);
  }

  // Adds neighbours first, then pairs of pairs. The sum in the first shard does not depend on which thread
  // adds which range.
  void add_up() {
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

  const Model<T>& model_;
  Threads& threads_;
  PositionScheme scheme_;
  bool measures_ = false;
  Stopwatch<T> reduction_;
  std::vector<ParameterRange> ranges_;
  std::vector<std::unique_ptr<Shard>> shards_;
  std::vector<std::unique_ptr<Pass<T>>> passes_;  // one for each shard that is computed at a time
};

}  // namespace ordinal

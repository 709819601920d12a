// Loss and gradient of a batch, by shards. The batch is split into a fixed number of shards, independent of
// the number of threads. A shard is processed a few sequences at a time. Shard gradients are added in a fixed tree. So the
// same batch gives the same bits on one thread and on many.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "framework/core/pass.h"
#include "framework/core/threads.h"
#include "framework/positional/position_scheme.h"
#include "framework/training/batch.h"
#include "framework/training/finite_probe.h"
#include "framework/training/model.h"
#include "framework/training/stopwatch.h"

namespace ordinal {

/// The default number of shards of a batch: the smallest power of two that keeps a shard at no more
/// than about 1,024 tokens, but no more shards than sequences. Depends on the batch alone.
Index default_shards(Index batch, Index seq_len);

/// Sequences of a shard per forward and backward run: about 256 tokens, so that what it keeps for backward stays in the
/// caches and a large batch needs little memory. Throws std::invalid_argument for sequences without a token.
Index sequences_at_once(Index seq_len);

/// Throws std::invalid_argument unless `shards` is a power of two.
void check_shards(Index shards);

/// Where the forward and backward run of some sequences first became infinite or NaN, "block.0.attention, forward: NaN for
/// example 3, token 12"; empty if nowhere. `first_example` is the number of the first sequence.
template <typename T>
std::string non_finite_of(const FiniteProbe<T>& probe, double loss, const Parameters<T>& gradients,
                          Index first_example, Index seq_len);

template <typename T>
class BatchGradient {
 public:
  /// `scheme` assigns positions to the tokens of each example. `model`, `values`, which are those of its layout, and `threads`
  /// must outlive this object. Throws as check_shards() does, and ConfigError for a value that an option of the scheme rejects.
  BatchGradient(const Model<T>& model, const Parameters<T>& values, Index shards, Threads& threads,
                const PositionScheme& scheme = {});

  struct Key {
    std::uint64_t seed = 0;  // for the dropout masks and random positions
    std::uint32_t step = 0;
  };

  /// Mean loss in nats per target over all batches together (gradient accumulation: each is one forward and
  /// backward run). Its gradient stays in gradients() until the next call. Throws std::invalid_argument for no batch, as
  /// check_batch() and batch_positions() do, and what the model throws, such as PositionError for a position that its encoding
  /// does not have. gradients() are then undefined.
  double compute(std::span<const Batch> batches, Key key);

  /// Computes the gradient again and checks the output of each layer and the gradient of its input. Returns where a number
  /// is first infinite or NaN, "block.0.attention, forward: NaN for example 3, token 12"; empty if none is. Throws as compute().
  std::string find_non_finite(std::span<const Batch> batches, Key key);

  /// Valid as long as this object.
  const Parameters<T>& gradients() const { return shards_.front()->gradients; }
  /// Starts measuring the time of the parts of the model.
  void measure_parts();
  /// Summed over shards, and so over threads; of the parts of the model, only what was measured.
  SecondsByPart seconds_by_part() const;
  /// Bytes of activation and gradient memory held.
  Index memory_bytes() const;

 private:
  struct Shard {
    explicit Shard(const ParameterLayout& layout) : gradients(layout) {}
    Parameters<T> gradients;
    std::vector<Positions> positions;  // of each part
    double loss = 0.0;
    FiniteProbe<T> finite;
    std::string not_finite;  // the first thing that find_non_finite() found, as text
    Stopwatch<T> stopwatch;
  };

  struct ShardPart {
    Index first = 0;   // sequence within the batch
    Index size = 0;    // in sequences
    Index number = 0;  // within the shard
  };

  // What all shards compute.
  struct Step {
    std::span<const Batch> batches;
    Key key;
    bool checks_finite = false;
    T weight = T(0);  // of the loss of a target
  };

  double compute(Step step);
  void run_shards(const Step& step);
  void run_shard(Index index, const Step& step, Pass<T>& pass);
  void run_part(Shard& shard, const Batch& batch, const ShardPart& part, Index first_example,
                const Step& step, Pass<T>& pass);
  const Positions& place(Shard& shard, const Batch& batch, const ShardPart& part, const RandomKey& key) const;
  void add_up();

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

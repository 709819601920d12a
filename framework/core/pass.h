// A Pass is one forward and backward run over one shard of a batch. It holds everything that changes: layers
// are immutable and shared by all threads. It reads the parameter values, adds to a gradient block, provides
// memory from an arena, and keeps a last-in first-out stack of what backward needs.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "framework/core/arena.h"
#include "framework/core/errors.h"
#include "framework/core/parameters.h"
#include "framework/core/positions.h"
#include "framework/core/random.h"
#include "framework/core/stopwatch.h"
#include "framework/core/tensor.h"

namespace ordinal {

template <typename T>
class DecodeCache;

/// What one query of the first sequence of a run attends to: the keys from `first_key` on, with these probabilities, and no
/// others.
template <typename T>
struct AttentionRow {
  Index layer = 0;  // counted over the attention layers of the model
  Index head = 0;
  Index query = 0;
  Index first_key = 0;
  std::span<const T> probabilities = {};  // valid while the row is observed
};

/// Asks a run where a number first became infinite or NaN: after which layer, in which direction and in which row.
struct FiniteProbe {
  std::string layer = {};      // empty: everything is finite so far
  std::string direction = {};  // "forward" or "backward"
  Index row = 0;               // sequence · seq_len + token
  double value = 0.0;          // the value found there

  /// "block.0.attention, forward: NaN"
  std::string describe() const;
};

/// Changes to attention for testing a trained model. They have no backward.
struct AttentionTest {
  Index window = 0;           // causal: queries see only this many of the latest keys; 0: all
  double log_n_length = 0.0;  // L > 1: scores times max(1, ln n / ln L) for queries that see n keys; 0: 1
};

/// Observers of a run; each may be null.
template <typename T>
struct Observers {
  const std::function<void(const AttentionRow<T>&)>* attention =
      nullptr;                                     // gets each row when it is computed
  FiniteProbe* finite = nullptr;                   // records where numbers become infinite or NaN
  Stopwatch* stopwatch = nullptr;                  // measures the time of each part
  const std::function<bool()>* stopped = nullptr;  // called often: true ends the run with Stopped
};

/// The input and the options of one run.
template <typename T>
struct Run {
  Positions positions;    // also defines the number of sequences and tokens: rows = batch * seq_len
  bool record = false;    // keep what backward needs
  bool training = false;  // dropout is active
  RandomKey random = {};  // for dropout masks; its example is that of the first sequence in the batch
  DecodeCache<T>* cache = nullptr;  // step-by-step decoding: state of earlier tokens, extended by this run
  AttentionTest attention = {};     // not allowed with `record`
  Observers<T> observers = {};
};

template <typename T>
class Pass {
 public:
  /// Reads `values`; backward adds to `gradients`, which inference does not need.
  explicit Pass(const Parameters<T>& values, Parameters<T>* gradients = nullptr)
      : values_(&values), gradients_(gradients) {}

  /// Backward adds to this block from the next run on.
  void set_gradients(Parameters<T>& gradients) { gradients_ = &gradients; }

  /// Starts a run; invalidates all memory allocated before. Throws std::invalid_argument if it has no token, std::logic_error if
  /// it records without gradients, or with a cache, a window or log-n scores, which have no backward.
  void begin(Run<T> run);
  /// Ends a run. Throws std::logic_error naming the layer whose saves were not restored by backward.
  void finish();

  const Run<T>& run() const { return run_; }
  Index batch() const { return run_.positions.batch(); }
  Index seq_len() const { return run_.positions.seq_len(); }
  /// The rows of one sequence in a matrix with one row per token.
  template <typename Element>
  View<Element> rows_of(View<Element> all, Index sequence) const {
    return all.row_range(sequence * seq_len(), seq_len());
  }

  View<const T> value(const Slot& slot) const { return (*values_)[slot]; }
  View<T> gradient(const Slot& slot) { return (*gradients_)[slot]; }

  /// Uninitialised (rows, cols) memory: valid until the enclosing frame or the run ends.
  View<T> allocate(Index rows, Index cols) { return {arena_.take(rows * cols), rows, cols}; }
  /// The same, zeroed.
  View<T> zeros(Index rows, Index cols) {
    const View<T> all = allocate(rows, cols);
    std::fill_n(all.data, all.size(), T(0));
    return all;
  }

  /// Keeps `x` (the view, not a copy) for backward, under the name of the layer; does nothing unless
  /// recording.
  void save(std::string_view layer, View<const T> x);
  /// The view saved last. Throws std::logic_error if another layer saved it or if nothing is saved.
  View<const T> restore(std::string_view layer);

  /// Keeps what an encoding prepared at the start of the run, until the run ends.
  void prepare(PreparedSlot slot, View<const T> x);
  /// What prepare() kept. Throws std::logic_error if it kept nothing: the model did not call
  /// PositionalEncoding::begin_run.
  View<const T> prepared(PreparedSlot slot) const;

  /// Zeroed (rows, cols) memory, valid until the run ends. The backward hooks of an encoding add to it.
  void start_sum(PreparedSlot slot, Index rows, Index cols);
  /// The memory from start_sum(). Throws std::logic_error if that was not called in this run.
  View<T> sum(PreparedSlot slot) const;

  /// The random stream of a purpose for one sequence of this shard, independent of how the batch was split.
  Random random(std::uint32_t purpose, Index sequence) const;

  /// Releases on destruction what was allocated during its lifetime. A forward frame does so only when
  /// nothing is recorded; a scratch frame always does.
  class Frame {
   public:
    Frame(Arena<T>& arena, bool active) : arena_(arena), mark_(arena.mark()), active_(active) {}
    ~Frame() {
      if (active_) arena_.rewind(mark_);
    }
    Frame(const Frame&) = delete;
    Frame& operator=(const Frame&) = delete;

   private:
    Arena<T>& arena_;
    typename Arena<T>::Mark mark_;
    bool active_;
  };
  Frame forward_frame() { return Frame(arena_, !run_.record); }
  Frame scratch_frame() { return Frame(arena_, true); }

  /// Records in the finite probe, if any, the first x that is not finite: the output of `layer` in "forward", the
  /// gradient of its input in "backward".
  void check_finite(std::string_view layer, std::string_view direction, View<const T> x) const;

  /// For layers that may run for a long time. Throws Stopped if the run is to end.
  void check_stopped() const {
    if (run_.observers.stopped != nullptr && (*run_.observers.stopped)()) throw Stopped();
  }

  /// Attributes time to the part that the calling layer is executing, until the end of the scope.
  WorkTimer timed(Work part) const { return {run_.observers.stopwatch, part}; }

  /// Bytes of activation memory held.
  Index memory_bytes() const { return arena_.capacity() * static_cast<Index>(sizeof(T)); }

 private:
  struct Saved {
    std::string_view layer;
    View<const T> view;
  };

  const Parameters<T>* values_;
  Parameters<T>* gradients_;
  Run<T> run_;
  Arena<T> arena_;
  std::vector<Saved> saved_;
  std::vector<View<const T>> prepared_;
  std::vector<View<T>> sums_;
};

}  // namespace ordinal

// A Pass is one forward and backward run over one shard of a batch. It holds everything that changes: layers
// are immutable and shared by all threads. It reads the parameter values, adds to a gradient block, provides
// memory from an arena, and keeps a last-in first-out stack of what backward needs.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "framework/core/arena.h"
#include "framework/core/errors.h"
#include "framework/core/parameters.h"
#include "framework/core/positions.h"
#include "framework/core/random.h"
#include "framework/core/tensor.h"

namespace ordinal {

template <typename T>
class DecodeCache;

template <typename T>
struct AttentionRun;

enum class Direction { forward, backward };

/// Hears of each part of a model in the order in which a run computes them.
template <typename T>
class RunObserver {
 public:
  /// x is the output of `part` in the forward pass, the gradient of its input in the backward pass.
  virtual void computed(std::string_view part, Direction direction, View<const T> x) = 0;

 protected:
  ~RunObserver() = default;
};

/// The input and the options of one run. What it points to must outlive it, and may be null.
template <typename T>
struct Run {
  Positions positions;    // also defines the number of sequences and tokens: rows = batch * seq_len
  bool record = false;    // keep what backward needs
  bool training = false;  // dropout is active
  RandomKey random = {};  // for dropout masks; its example is that of the first sequence in the batch
  DecodeCache<T>* cache = nullptr;  // step-by-step decoding: state of earlier tokens, extended by this run
  const AttentionRun<T>* attention = nullptr;      // see attention/attention_run.h
  RunObserver<T>* observer = nullptr;              // see training/finite_probe.h and training/stopwatch.h
  const std::function<bool()>* stopped = nullptr;  // called often: true ends the run with Stopped
};

/// What several layers of a run share: a matrix, and the sum of its gradients. Both are empty until one of them sets them.
template <typename T>
struct Shared {
  View<const T> values;
  View<T> gradients;
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
  /// it records without gradients, or with a cache, which has no backward.
  void begin(Run<T> run) {
    if (run.positions.batch() < 1 || run.positions.seq_len() < 1) {
      throw std::invalid_argument(
          fmt::format("Pass: got {} sequences of {} tokens, expected at least 1 of each",
                      run.positions.batch(), run.positions.seq_len()));
    }
    if (run.record && gradients_ == nullptr)
      throw std::logic_error("Pass: a recorded run needs a gradient block, got none");
    if (run.record && run.cache != nullptr)
      throw std::logic_error("Pass: a recorded run starts from nothing, got a cache");
    run_ = std::move(run);
    saved_.clear();
    shared_.assign(static_cast<std::size_t>(values_->layout().shared()), {});
    arena_.reset();
  }
  /// Ends a run. Throws std::logic_error naming the layer whose saves were not restored by backward.
  void finish() {
    if (!saved_.empty()) {
      throw std::logic_error(
          fmt::format("Pass: {} saved something that no backward restored ({} left on the stack)",
                      saved_.back().layer, saved_.size()));
    }
    arena_.reset();
  }

  /// Keeps `x` (the view, not a copy) for backward, under the name of the layer; does nothing unless
  /// recording.
  void save(std::string_view layer, View<const T> x) {
    if (run_.record) saved_.push_back({layer, x});
  }
  /// The view saved last. Throws std::logic_error if another layer saved it or if nothing is saved.
  View<const T> restore(std::string_view layer) {
    if (saved_.empty() || saved_.back().layer != layer) {
      throw std::logic_error(fmt::format(
          "Pass: {} restores what {} saved; backward must restore in the reverse order of the saves", layer,
          saved_.empty() ? "nothing" : saved_.back().layer));
    }
    const View<const T> view = saved_.back().view;
    saved_.pop_back();
    return view;
  }

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

  /// The random stream of a purpose for one sequence of this shard, independent of how the batch was split.
  Random random(std::uint32_t purpose, Index sequence) const {
    RandomKey key = run_.random;
    key.purpose = purpose;
    key.example += static_cast<std::uint32_t>(sequence);
    return Random(key);
  }

  /// What layers share in this run.
  Shared<T>& shared(SharedSlot slot) { return shared_[static_cast<std::size_t>(slot.index)]; }
  const Shared<T>& shared(SharedSlot slot) const { return shared_[static_cast<std::size_t>(slot.index)]; }

  /// A model calls this for each of its parts.
  void computed(std::string_view part, Direction direction, View<const T> x) const {
    if (run_.observer != nullptr) run_.observer->computed(part, direction, x);
  }

  /// For layers that may run for a long time. Throws Stopped if the run is to end.
  void check_stopped() const {
    if (run_.stopped != nullptr && (*run_.stopped)()) throw Stopped();
  }

  /// Bytes of activation memory in use.
  Index taken_bytes() const { return arena_.taken() * static_cast<Index>(sizeof(T)); }
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
  std::vector<Shared<T>> shared_;
};

}  // namespace ordinal

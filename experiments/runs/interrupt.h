// Ctrl-C: the first one asks a run to finish its step, save and stop; the second one ends the process at
// once.
#pragma once

namespace ordinal::experiments {

/// Takes over SIGINT and SIGTERM for its life; one at a time.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  /// Whether someone has asked to stop.
  bool requested() const;
};

}  // namespace ordinal::experiments

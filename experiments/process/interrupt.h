// Signals that ask a process to end: the first asks a run to finish its step, save and stop; the second ends the process
// immediately.
#pragma once

#include <string>

namespace ordinal::experiments {

/// Handles SIGINT, SIGTERM and SIGHUP during its lifetime, except those that the process was started to ignore (nohup). Only
/// one guard may exist at a time.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  /// Whether a stop was requested.
  bool requested() const;
};

/// Prints on stderr that everything so far is saved, and the command that continues it. Returns the exit code that a shell
/// reports for the signal, 128 + its number.
int say_interrupted(const std::string& invocation);

}  // namespace ordinal::experiments

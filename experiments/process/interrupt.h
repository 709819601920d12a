// Signals that ask a process to end: the first asks a run to finish its step, save and stop; the second ends the process
// immediately.
#pragma once

#include <string>

namespace ordinal::experiments {

/// From now on, each of the signals below ends the process at once, also the first process of a container.
void end_on_signals();

/// Handles SIGINT, SIGTERM and SIGHUP, and like SIGTERM the warnings of schedulers, SIGUSR1, SIGUSR2 and SIGXCPU, during its
/// lifetime, except those that the process was started to ignore (nohup). Only one guard may exist at a time.
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

#include "experiments/process/interrupt.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>

#include "experiments/process/streams.h"

namespace ordinal::experiments {
namespace {

// A signal handler can only reach a global; this is the only mutable one in the project. 0: no signal.
std::atomic<int> stop_signal = 0;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)
static_assert(std::atomic<int>::is_always_lock_free);  // safe to write in a handler

// Schedulers warn with the last three.
constexpr std::array<int, 6> handled = {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGXCPU};

// The first process of a container does not end by a signal that it does not handle.
void end_at_once(int signal) {
  if (::getpid() == 1) ::_exit(128 + signal);
  std::signal(signal, SIG_DFL);
  ::raise(signal);
}

// Those that the process was started to ignore stay ignored.
void handle(void (*handler)(int)) {
  for (const int signal : handled)
    if (std::signal(signal, handler) == SIG_IGN) std::signal(signal, SIG_IGN);
}

// From now on, each of them ends the process.
void request_stop(int signal) {
  const bool is_warning = signal == SIGUSR1 || signal == SIGUSR2 || signal == SIGXCPU;
  stop_signal = is_warning ? SIGTERM : signal;
  handle(end_at_once);
}

}  // namespace

void end_on_signals() { handle(end_at_once); }

InterruptGuard::InterruptGuard() {
  stop_signal = 0;
  handle(request_stop);
}

InterruptGuard::~InterruptGuard() { end_on_signals(); }

bool InterruptGuard::requested() const { return stop_signal != 0; }

int say_interrupted(const std::string& invocation) {
  say_on_stderr(fmt::format("interrupted; everything so far is saved. Continue with:\n  {}\n", invocation));
  return 128 + stop_signal;
}

}  // namespace ordinal::experiments

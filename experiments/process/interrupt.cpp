#include "experiments/process/interrupt.h"

#include <fmt/format.h>

#include <array>
#include <atomic>
#include <csignal>

#include "experiments/process/streams.h"

namespace ordinal::experiments {
namespace {

// A signal handler can only reach a global; this is the only mutable one in the project. 0: no signal.
std::atomic<int> stop_signal = 0;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)
static_assert(std::atomic<int>::is_always_lock_free);  // safe to write in a handler

constexpr std::array<int, 3> handled = {SIGINT, SIGTERM, SIGHUP};

// From now on, each of them ends the process.
void request_stop(int signal) {
  stop_signal = signal;
  for (const int one : handled) std::signal(one, SIG_DFL);
}

}  // namespace

InterruptGuard::InterruptGuard() {
  stop_signal = 0;
  for (const int signal : handled)
    if (std::signal(signal, request_stop) == SIG_IGN) std::signal(signal, SIG_IGN);
}

InterruptGuard::~InterruptGuard() {
  for (const int signal : handled)
    if (std::signal(signal, SIG_DFL) == SIG_IGN) std::signal(signal, SIG_IGN);
}

bool InterruptGuard::requested() const { return stop_signal != 0; }

int say_interrupted(const std::string& invocation) {
  say_on_stderr(fmt::format("interrupted; everything so far is saved. Continue with:\n  {}\n", invocation));
  return 128 + stop_signal;
}

}  // namespace ordinal::experiments

#include "experiments/runs/interrupt.h"

#include <atomic>
#include <csignal>

namespace ordinal::experiments {
namespace {

// A signal handler can only reach a global; this is the only mutable one in the project.
std::atomic<bool> stop_requested = false;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)
static_assert(std::atomic<bool>::is_always_lock_free);  // what a handler may write

void request_stop(int signal) {
  stop_requested = true;
  std::signal(signal, SIG_DFL);
}

}  // namespace

InterruptGuard::InterruptGuard() {
  stop_requested = false;
  std::signal(SIGINT, request_stop);
  std::signal(SIGTERM, request_stop);
}

InterruptGuard::~InterruptGuard() {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

bool InterruptGuard::requested() const { return stop_requested; }

}  // namespace ordinal::experiments

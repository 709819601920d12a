#include "experiments/runs/interrupt.h"

#include <fmt/format.h>

#include <atomic>
#include <csignal>
#include <cstdio>

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

int say_interrupted(const std::string& invocation) {
  fmt::print(stderr, "interrupted; everything so far is saved. Continue with:\n  {}\n", invocation);
  return 130;
}

}  // namespace ordinal::experiments

#include "experiments/runs/interrupt.h"

#include <csignal>

namespace ordinal::experiments {
namespace {

// A signal handler can only reach a global; this is the only mutable one in the project.
volatile std::sig_atomic_t stop_requested = 0;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)

void request_stop(int signal) {
  stop_requested = 1;
  std::signal(signal, SIG_DFL);
}

}  // namespace

InterruptGuard::InterruptGuard() {
  stop_requested = 0;
  std::signal(SIGINT, request_stop);
  std::signal(SIGTERM, request_stop);
}

InterruptGuard::~InterruptGuard() {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

bool InterruptGuard::requested() const { return stop_requested != 0; }

}  // namespace ordinal::experiments

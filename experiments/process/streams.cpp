#include "experiments/process/streams.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <stdexcept>

#include "framework/core/printable.h"

namespace ordinal::experiments {

void prepare_streams() {
  std::signal(SIGPIPE, SIG_IGN);
  for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; ++stream) {
    // The lowest number that is free is that of the first closed stream.
    if (::fcntl(stream, F_GETFD) < 0) (void)::open("/dev/null", stream == STDIN_FILENO ? O_RDONLY : O_WRONLY);
  }
}

void say_on_stdout(const std::string& text) { draw_on_stdout(printable_lines(text)); }
void say_on_stderr(const std::string& text) { draw_on_stderr(printable_lines(text)); }
void give_on_stdout(const std::string& text) {
  ::isatty(STDOUT_FILENO) != 0 ? say_on_stdout(text) : draw_on_stdout(text);
}

void answer_on_stdout(const std::string& text) {
  errno = 0;
  give_on_stdout(text);
  const bool failed = std::fflush(stdout) != 0 || std::ferror(stdout) != 0;
  if (!failed) return;
  const int reason = errno;
  (void)std::freopen("/dev/null", "w", stdout);
  if (reason != EPIPE) throw std::runtime_error(fmt::format("stdout: {}", std::strerror(reason)));
}

void draw_on_stdout(const std::string& text) { (void)std::fwrite(text.data(), 1, text.size(), stdout); }
void draw_on_stderr(const std::string& text) {
  (void)std::fwrite(text.data(), 1, text.size(), stderr);
  (void)std::fflush(stderr);
}

bool stdout_is_whole(const std::string& program) {
  errno = 0;
  const bool whole = std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
  if (!whole) {
    say_on_stderr(fmt::format("{}: stdout: {}: not all results were printed; files of results are complete\n",
                              program, errno == 0 ? "cannot write" : std::strerror(errno)));
  }
  return whole;
}

}  // namespace ordinal::experiments

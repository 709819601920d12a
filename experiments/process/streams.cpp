#include "experiments/process/streams.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

#include "framework/core/text.h"

namespace ordinal::experiments {
namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// Whether everything printed on stdout was written.
bool is_flushed() { return std::fflush(stdout) == 0 && std::ferror(stdout) == 0; }

}  // namespace

void prepare_streams() {
  std::signal(SIGPIPE, SIG_IGN);
  for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; ++stream) {
    // open() returns the lowest free number, which is that of the first closed stream.
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
  if (is_flushed()) return;
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
  if (is_flushed()) return true;
  say_on_stderr(fmt::format("{}: stdout: {}: not all results were printed; files of results are complete\n",
                            program, errno == 0 ? "cannot write" : std::strerror(errno)));
  return false;
}

std::optional<Terminal> terminal_of(int stream) {
  if (isatty(stream) == 0) return std::nullopt;
  Terminal terminal;
  winsize size{};
  if (ioctl(stream, TIOCGWINSZ, &size) == 0 && size.ws_col > 1) terminal.columns = size.ws_col;  // 0: unknown
  const std::string name = variable("TERM");
  terminal.moves = !name.empty() && name != "dumb";
  terminal.colors = terminal.moves && variable("NO_COLOR").empty();
  return terminal;
}

std::string styled(const std::string& text, Style style, bool colors) {
  if (!colors || text.empty()) return text;
  const int code = style == Style::bold ? 1 : style == Style::dim ? 2 : 31;
  return fmt::format("\033[{}m{}\033[0m", code, text);
}

}  // namespace ordinal::experiments

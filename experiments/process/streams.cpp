#include "experiments/process/streams.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <sstream>

#include "framework/core/text.h"

namespace ordinal::experiments {
namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

void prepare_streams() {
  for (const int signal : {SIGPIPE, SIGXFSZ}) std::signal(signal, SIG_IGN);
  for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; ++stream) {
    // open() returns the lowest free number, which is that of the first closed stream.
    if (::fcntl(stream, F_GETFD) < 0) (void)::open("/dev/null", stream == STDIN_FILENO ? O_RDONLY : O_WRONLY);
  }
}

void say_on_stdout(const std::string& text) {
  draw_on_stdout(::isatty(STDOUT_FILENO) != 0 ? printable_lines(text) : text);
}
void say_on_stderr(const std::string& text) { draw_on_stderr(printable_lines(text)); }

void draw_on_stdout(const std::string& text) {
  const bool is_written =
      std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  if (!is_written && errno == EPIPE) (void)std::freopen("/dev/null", "w", stdout);
}
void draw_on_stderr(const std::string& text) {
  (void)std::fwrite(text.data(), 1, text.size(), stderr);
  (void)std::fflush(stderr);
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

std::string wrapped(const std::string& text, const std::optional<Terminal>& terminal,
                    std::size_t option_text) {
  if (!terminal) return text;
  std::istringstream lines(text);
  std::string result;
  for (std::string line; std::getline(lines, line);) {
    const std::size_t blanks = std::min(line.find_first_not_of(' '), line.size());
    const std::size_t begin = std::min(line.starts_with("  --") ? option_text : blanks, line.size());
    std::string written = line.substr(0, begin);
    std::size_t width = display_width(written);
    std::istringstream words(line.substr(begin));
    for (std::string word, blank; std::getline(words, word, ' '); blank = " ") {
      const std::size_t added = display_width(word) + blank.size();
      const bool fits = width + added <= terminal->columns;
      written += (fits || blank.empty() ? blank : "\n" + std::string(begin, ' ')) + word;
      width = fits ? width + added : begin + display_width(word);
    }
    result += written + '\n';
  }
  if (!text.ends_with('\n') && !result.empty()) result.pop_back();
  return result;
}

std::string styled(const std::string& text, Style style, bool colors) {
  if (!colors || text.empty()) return text;
  return fmt::format("\033[{}m{}\033[0m", style == Style::bold ? 1 : 2, text);
}

}  // namespace ordinal::experiments

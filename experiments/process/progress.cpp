#include "experiments/process/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>

#include "experiments/process/streams.h"
#include "framework/core/text.h"

namespace ordinal::experiments {
namespace {

constexpr std::chrono::milliseconds terminal_interval{500};
constexpr std::chrono::seconds plain_interval{10};

// A text cut to `columns`.
std::string fitted(const std::string& text, std::size_t columns) {
  std::string line;
  std::size_t used = 0;
  for (const char c : printable(text)) {
    if (begins_character(c) && used++ == columns) break;
    line += c;
  }
  return line;
}

}  // namespace

Progress::Progress(bool quiet)
    : quiet_(quiet), redraws_(terminal_of(STDERR_FILENO).value_or(Terminal{.moves = false}).moves) {}

void Progress::say(const std::string& line) {
  const std::lock_guard lock(mutex_);
  if (!quiet_) draw(printable_lines(line) + "\n");
}

void Progress::update(const std::string& line) {
  const std::lock_guard lock(mutex_);
  const auto now = std::chrono::steady_clock::now();
  if (quiet_ || now < next_) return;
  next_ = now;
  next_ += redraws_ ? terminal_interval : plain_interval;
  const std::size_t columns = terminal_of(STDERR_FILENO).value_or(Terminal{}).columns;
  draw((redraws_ ? fitted(line, columns - 1) : printable(line)) + "\n");  // a full line would wrap
  drawn_ = redraws_;
}

void Progress::clear() {
  const std::lock_guard lock(mutex_);
  draw("");
}

// In place of the replaceable line. The cursor is always at the start of a line, so that the process may end at any moment.
void Progress::draw(const std::string& text) {
  const std::string erased = drawn_ ? "\r\033[1A\033[J" : "";
  drawn_ = false;
  if (!text.empty() || !erased.empty()) draw_on_stderr(erased + text);
}

double Pace::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

std::string duration_text(double seconds) {
  const long whole = std::lround(seconds);
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole % 3600 / 60);
}

}  // namespace ordinal::experiments

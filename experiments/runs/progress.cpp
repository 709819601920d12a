#include "experiments/runs/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>

namespace ordinal::experiments {
namespace {

constexpr std::chrono::milliseconds terminal_interval{150};
constexpr std::chrono::seconds plain_interval{10};

}  // namespace

Progress::Progress(bool quiet) : quiet_(quiet), terminal_(isatty(STDERR_FILENO) != 0) {}

Progress::~Progress() { finish_line(); }

void Progress::say(const std::string& line) {
  if (quiet_) return;
  finish_line();
  fmt::print(stderr, "{}\n", line);
}

void Progress::update(const std::string& line) {
  const auto now = Clock::now();
  const auto interval = terminal_ ? Clock::duration(terminal_interval) : Clock::duration(plain_interval);
  if (quiet_ || (last_ != Clock::time_point::min() && now - last_ < interval)) return;
  last_ = now;
  if (terminal_) {
    fmt::print(stderr, "\r\033[K{}", line);  // back to the start of the line, and erase it
    std::fflush(stderr);
    line_open_ = true;
  } else {
    fmt::print(stderr, "{}\n", line);
  }
}

void Progress::finish_line() {
  if (line_open_) fmt::print(stderr, "\n");
  line_open_ = false;
}

Pace::Pace() : start_(std::chrono::steady_clock::now()) {}

double Pace::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

std::string Pace::time_left(double done, double total) const {
  return done > 0.0 ? duration_text(seconds() * (total - done) / done) : "?";
}

std::string duration_text(double seconds) {
  const long whole = std::lround(seconds);
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole % 3600 / 60);
}

}  // namespace ordinal::experiments

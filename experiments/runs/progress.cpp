#include "experiments/runs/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cmath>
#include <mutex>
#include <vector>

#include "experiments/settings/streams.h"
#include "framework/core/utf8.h"

namespace ordinal::experiments {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds terminal_interval{150};
constexpr std::chrono::seconds plain_interval{10};

winsize terminal_size() {
  winsize size{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 && size.ws_row > 1) return size;
  size.ws_col = 80;
  size.ws_row = 24;
  return size;
}

// A line that wraps could not be replaced.
std::string cut(const std::string& line, std::size_t width) {
  std::size_t columns = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (begins_character(line[i]) && ++columns == width) return line.substr(0, i);
  }
  return line;
}

}  // namespace

// The lines that are on the screen, for all trainings.
class Progress::Board {
 public:
  Board(bool quiet, bool updates) : quiet_(quiet), updates_(updates), terminal_(isatty(STDERR_FILENO) != 0) {}
  ~Board() { finish(); }
  Board(const Board&) = delete;
  Board& operator=(const Board&) = delete;

  void say(const std::string& line) {
    const std::lock_guard lock(mutex_);
    if (quiet_) return;
    erase();
    say_on_stderr(line + "\n");
    draw();
  }

  void update(std::size_t number, const std::string& line) {
    const std::lock_guard lock(mutex_);
    if (quiet_ || !updates_) return;
    if (number >= lines_.size()) lines_.resize(number + 1);
    Line& mine = lines_[number];
    const auto now = Clock::now();
    const auto interval = terminal_ ? Clock::duration(terminal_interval) : Clock::duration(plain_interval);
    Clock::time_point& last = terminal_ ? mine.last : last_;  // off a terminal all trainings take turns
    if (last != Clock::time_point::min() && now - last < interval) return;
    last = now;
    if (!terminal_) return say_on_stderr(line + "\n");
    mine.text = line;
    erase();
    draw();
  }

  void clear(std::size_t number) {
    const std::lock_guard lock(mutex_);
    if (number >= lines_.size() || lines_[number].text.empty()) return;
    lines_[number].text.clear();
    erase();
    draw();
  }

  void finish() {
    const std::lock_guard lock(mutex_);
    if (drawn_ > 0) say_on_stderr("\n");
    drawn_ = 0;
    for (Line& line : lines_) line.text.clear();
  }

 private:
  struct Line {
    std::string text;
    Clock::time_point last = Clock::time_point::min();
  };

  // Back to the start of the first line, and erases to the end of the screen.
  void erase() {
    if (drawn_ > 1) say_on_stderr(fmt::format("\033[{}A", drawn_ - 1));
    if (drawn_ > 0) say_on_stderr("\r\033[J");
    drawn_ = 0;
  }

  void draw() {
    const winsize size = terminal_size();
    for (const Line& line : lines_) {
      if (line.text.empty()) continue;
      if (drawn_ + 1 == size.ws_row) break;  // what has scrolled off cannot be replaced
      say_on_stderr((drawn_ > 0 ? "\n" : "") + cut(line.text, size.ws_col));
      ++drawn_;
    }
  }

  std::mutex mutex_;
  bool quiet_;
  bool updates_;
  bool terminal_;
  std::vector<Line> lines_;
  Clock::time_point last_ = Clock::time_point::min();  // of a plain line
  std::size_t drawn_ = 0;                              // lines on the screen that can be replaced
};

Progress::Progress(bool quiet, bool updates) : board_(std::make_shared<Board>(quiet, updates)) {}

Progress Progress::line(Index number) const { return {board_, static_cast<std::size_t>(number)}; }
void Progress::say(const std::string& line) { board_->say(line); }
void Progress::update(const std::string& line) { board_->update(number_, line); }
void Progress::clear() { board_->clear(number_); }
void Progress::finish_line() { board_->finish(); }

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

#include "experiments/process/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <vector>

#include "experiments/process/streams.h"
#include "experiments/process/utf8.h"
#include "framework/core/text.h"

namespace ordinal::experiments {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds terminal_interval{150};
constexpr std::chrono::seconds plain_interval{10};

constexpr Index most_recent = 20;

}  // namespace

void RecentMean::add(double value) {
  if (!std::isfinite(value)) return;
  count_ = std::min(count_ + 1, most_recent);
  value_ += (value - value_) / static_cast<double>(count_);
}

std::string fitted(const std::string& text, std::size_t columns) {
  std::string line;
  std::size_t used = 0;
  for (const char c : printable(text)) {
    if (begins_character(c) && used++ == columns) break;
    line += c;
  }
  return line;
}

std::string status_line(const TrainingStatus& status) {
  return fmt::format("{}  step {}/{}  {} left  loss {:.3f} bits  {:.0f} tokens/s", status.label, status.step,
                     status.steps, status.time_left, status.loss, status.tokens_per_second);
}

// The lines on the screen, for all trainings. On a terminal the cursor stays at the start of the line below them, so that
// the process may end at any moment.
class Progress::Board {
 public:
  explicit Board(bool quiet) : quiet_(quiet), redraws_(can_redraw()) {}
  ~Board() { finish(); }
  Board(const Board&) = delete;
  Board& operator=(const Board&) = delete;

  void say(const std::string& line) {
    const std::lock_guard lock(mutex_);
    if (!quiet_) redraw(printable_lines(line) + "\n");
  }

  void update(std::size_t number, const std::string& text) {
    const std::lock_guard lock(mutex_);
    if (quiet_) return;
    if (number >= lines_.size()) lines_.resize(number + 1);
    Line& mine = lines_[number];
    if (redraws_) mine.text = text;
    const auto now = Clock::now();
    const auto interval = redraws_ ? Clock::duration(terminal_interval) : Clock::duration(plain_interval);
    Clock::time_point& last = redraws_ ? mine.last : last_;  // else all trainings share one interval
    if (last != Clock::time_point::min() && now - last < interval) return;
    last = now;
    redraws_ ? redraw() : say_on_stderr(text + "\n");
  }

  void clear(std::size_t number) {
    const std::lock_guard lock(mutex_);
    if (number >= lines_.size() || lines_[number].text.empty()) return;
    lines_[number].text.clear();
    redraw();
  }

  void finish() {
    const std::lock_guard lock(mutex_);
    redraw();  // the last state, which update() may have skipped
    drawn_ = 0;
    for (Line& line : lines_) line.text.clear();
  }

 private:
  struct Line {
    std::string text = {};  // empty: none
    Clock::time_point last = Clock::time_point::min();
  };

  static bool can_redraw() {
    const auto terminal = terminal_of(STDERR_FILENO);
    return terminal && terminal->moves;
  }

  // Replaces the lines with a permanent text, and redraws them below it.
  void redraw(const std::string& above = "") {
    const Terminal terminal = terminal_of(STDERR_FILENO).value_or(Terminal{});
    std::string text = drawn_ > 0 ? fmt::format("\r\033[{}A\033[J", drawn_) : "";
    text += above;
    drawn_ = 0;
    for (const Line& line : lines_) {
      if (line.text.empty()) continue;
      if (drawn_ + 1 == terminal.rows) break;                  // lines that scrolled off cannot be replaced
      text += fitted(line.text, terminal.columns - 1) + "\n";  // a full line would wrap
      ++drawn_;
    }
    if (!text.empty()) draw_on_stderr(text);
  }

  std::mutex mutex_;
  bool quiet_;
  bool redraws_;
  std::vector<Line> lines_;
  Clock::time_point last_ = Clock::time_point::min();  // of a plain line
  std::size_t drawn_ = 0;                              // lines on the screen that can be replaced
};

Progress::Progress(bool quiet) : board_(std::make_shared<Board>(quiet)) {}

Progress Progress::line(Index number) const { return {board_, static_cast<std::size_t>(number)}; }
void Progress::say(const std::string& line) { board_->say(line); }
void Progress::update(const std::string& line) { board_->update(number_, line); }
void Progress::clear() { board_->clear(number_); }
void Progress::finish_line() { board_->finish(); }

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

// Progress output. On a terminal: one line, rewritten in place, of the training that went on last. Elsewhere (also if TERM is
// dumb): an occasional plain line. With --quiet: nothing.
#pragma once

#include <chrono>
#include <mutex>
#include <string>

namespace ordinal::experiments {

/// Safe to share between threads.
class Progress {
 public:
  explicit Progress(bool quiet);
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Prints a permanent line.
  void say(const std::string& line);
  /// Prints a line that the next one replaces, at most every half second. Without a terminal, every ten seconds.
  void update(const std::string& line);
  /// Removes the replaceable line from the screen.
  void clear();

 private:
  void draw(const std::string& text);

  std::mutex mutex_;
  bool quiet_;
  bool redraws_;
  bool drawn_ = false;  // whether the last line on the screen can be replaced
  std::chrono::steady_clock::time_point next_ = {};
};

/// The time since its start.
class Pace {
 public:
  double seconds() const;

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// "12 s", "3 min 20 s", "2 h 05 min".
std::string duration_text(double seconds);

}  // namespace ordinal::experiments

// Runs a program in a terminal of some size, and what is then on its screen.
#pragma once

#include <pty.h>
#include <unistd.h>

#include <array>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "experiments/process/utf8.h"
#include "tests/experiments/drivers/program.h"

namespace ordinal::experiments::testing {

struct Window {
  unsigned short columns = 80;
  std::string environment = "TERM=xterm LC_ALL=C.UTF-8";
  unsigned short rows = 24;
};

/// What a terminal shows of the bytes that a program sent, with all lines that scrolled off. It obeys the few sequences
/// that programs of this project send, and keeps any other one on the screen, where a test sees it.
class Screen {
 public:
  Screen(const std::string& bytes, std::size_t columns) : columns_(columns) {
    for (std::size_t i = 0; i < bytes.size();) i += take(bytes, i);
  }

  /// Without blanks at the end.
  const std::vector<std::string>& lines() const { return lines_; }
  bool cursor_is_at_the_start() const { return column_ == 0; }

  std::vector<std::string> lines_with(const std::string& text) const {
    std::vector<std::string> found;
    for (const std::string& line : lines_) {
      if (line.find(text) != std::string::npos) found.push_back(line);
    }
    return found;
  }

 private:
  std::size_t take(const std::string& bytes, std::size_t i) {
    if (bytes[i] == '\r') {
      column_ = 0;
      return 1;
    }
    if (bytes[i] == '\n') {
      to_row(row_ + 1);
      return 1;
    }
    return bytes.compare(i, 2, "\033[") == 0 ? obey(bytes, i) : put(bytes, i);
  }

  std::size_t obey(const std::string& bytes, std::size_t i) {
    const std::size_t end = bytes.find_first_not_of("0123456789;", i + 2);
    if (end == std::string::npos) return put(bytes, i);
    const std::string number = bytes.substr(i + 2, end - i - 2);
    if (bytes[end] == 'A') {
      row_ -= std::min(row_, number.empty() ? std::size_t{1} : std::stoul(number));
    } else if (bytes[end] == 'J' && number.empty() && column_ == 0) {
      lines_.resize(row_);
      to_row(row_);
    } else if (bytes[end] != 'm') {
      return put(bytes, i);
    }
    return end + 1 - i;
  }

  // A character after the last column goes to the next line.
  std::size_t put(const std::string& bytes, std::size_t i) {
    std::size_t size = 1;
    while (i + size < bytes.size() && !begins_character(bytes[i + size])) ++size;
    if (column_ == columns_) {
      column_ = 0;
      to_row(row_ + 1);
    }
    std::string& line = lines_[row_];
    std::size_t at = 0;
    for (std::size_t c = 0; c < column_; ++c) at = after(line, at);
    line.replace(at, after(line, at) - at, bytes.substr(i, size));
    ++column_;
    return size;
  }

  static std::size_t after(const std::string& line, std::size_t at) {
    do {
      ++at;
    } while (at < line.size() && !begins_character(line[at]));
    return std::min(at, line.size());
  }

  void to_row(std::size_t row) {
    row_ = row;
    if (row_ >= lines_.size()) lines_.resize(row_ + 1);
  }

  std::size_t columns_;
  std::size_t row_ = 0;
  std::size_t column_ = 0;
  std::vector<std::string> lines_ = {""};
};

struct Shown {
  int exit_code = -1;  // or -N if signal N ended it
  std::string bytes;   // that the program sent
  Screen screen;
};

/// Types keys into a terminal.
inline void type(int terminal, const std::string& keys) {
  EXPECT_EQ(::write(terminal, keys.data(), keys.size()), std::ssize(keys));
}

/// A program in a terminal of its own, in the test's folder. As soon as it has drawn its progress, `act` is called with
/// the terminal.
inline Shown run_in_terminal(const std::string& program, const std::string& arguments, const Window& window,
                             std::function<void(int terminal)> act = nullptr) {
  const std::string command = "cd '" + own_folder().string() + "' && exec env -u NO_COLOR " +
                              window.environment + " " + quoted_program(program) + " " + arguments;
  winsize size{};
  size.ws_col = window.columns;
  size.ws_row = window.rows;
  int master = -1;
  const pid_t child = forkpty(&master, nullptr, nullptr, &size);
  if (child == 0) {
    execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
    _exit(127);
  }
  std::string bytes;
  std::array<char, 4096> buffer{};
  for (ssize_t got = 0; (got = read(master, buffer.data(), buffer.size())) > 0;) {
    bytes.append(buffer.data(), static_cast<std::size_t>(got));
    if (!act || bytes.find("  step ") == std::string::npos) continue;
    std::exchange(act, nullptr)(master);
  }
  int status = 0;
  waitpid(child, &status, 0);
  close(master);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status), bytes, Screen(bytes, window.columns)};
}

}  // namespace ordinal::experiments::testing

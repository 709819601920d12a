// Runs a program in a terminal of some size, and what then stands on its screen.
#pragma once

#include <pty.h>
#include <unistd.h>

#include <array>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "experiments/process/streams.h"
#include "tests/experiments/drivers/program.h"

namespace ordinal::experiments::testing {

struct Window {
  unsigned short columns = 80;
  std::string environment = "TERM=xterm NO_COLOR=1 LC_ALL=C.UTF-8";
};

struct Shown {
  int exit_code = -1;              // or -N if signal N ended it
  std::string bytes;               // that the program sent
  std::vector<std::string> lines;  // that stay on the screen; the last is where the cursor is

  std::vector<std::string> lines_with(const std::string& text) const {
    std::vector<std::string> found = lines;
    std::erase_if(found, [&](const std::string& line) { return line.find(text) == std::string::npos; });
    return found;
  }
};

/// What stays of what a program sent. It moves the cursor only to erase the line before, which must not be wrapped.
inline std::vector<std::string> lines_on_screen(std::string_view bytes, std::size_t columns) {
  constexpr std::string_view erase = "\r\033[1A\033[J";
  std::vector<std::string> lines(1);
  while (!bytes.empty()) {
    const std::size_t taken = bytes.starts_with(erase) ? erase.size() : 1;
    if (taken > 1) {
      lines.pop_back();
      EXPECT_LT(display_width(lines.back()), columns) << lines.back();
      lines.back().clear();
    } else if (bytes[0] == '\n') {
      lines.emplace_back();
    } else if (bytes[0] != '\r') {
      lines.back() += bytes[0];
    }
    bytes.remove_prefix(taken);
  }
  return lines;
}

/// Types keys into a terminal.
inline void type(int terminal, const std::string& keys) {
  EXPECT_EQ(::write(terminal, keys.data(), keys.size()), std::ssize(keys));
}

/// A program in a terminal of its own, in the test's folder. As soon as it has drawn its progress, `act` is called with
/// the terminal.
inline Shown run_in_terminal(const std::string& program, const std::string& arguments, const Window& window,
                             std::function<void(int terminal)> act = nullptr) {
  const std::string command = "cd '" + own_folder().string() + "' && exec env -u NO_COLOR " +
                              window.environment + " " + started(program, arguments);
  winsize size{};
  size.ws_col = window.columns;
  size.ws_row = 24;
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
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status), bytes,
          lines_on_screen(bytes, window.columns)};
}

}  // namespace ordinal::experiments::testing

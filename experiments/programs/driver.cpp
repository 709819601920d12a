#include "experiments/programs/driver.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "experiments/process/interrupt.h"
#include "experiments/process/machine.h"
#include "experiments/process/streams.h"
#include "experiments/settings/parts.h"
#include "framework/core/errors.h"
#include "framework/core/threads.h"
#include "framework/storage/safetensors_header.h"

namespace ordinal::experiments {
namespace {

constexpr int failure = 1;
constexpr int fixable = 2;

// What to do about an error of the file system.
std::string way_out_of(const std::filesystem::filesystem_error& error) {
  static const std::vector<std::pair<std::vector<int>, const char*>> ways_out = {
      {{ENOSPC, EDQUOT}, "free some space and repeat the command"},
      {{EFBIG}, "raise the limit (ulimit -f) and repeat the command"},
      {{EACCES, EPERM, EROFS}, "choose a folder that you may write to"},
      {{ENOTDIR, EISDIR, EEXIST},
       "a file stands where a folder is expected, or the other way round: remove it, or choose another name"},
      {{ENOENT}, "make its folder first"},
      {{ELOOP}, "it is a symbolic link: remove it"},
      {{ENAMETOOLONG}, "choose a shorter name"}};
  std::error_code unknown;
  const bool has_folder = exists(absolute(error.path1(), unknown).parent_path(), unknown);
  for (const auto& [numbers, way_out] : ways_out)
    if (std::ranges::count(numbers, error.code().value()) > 0 && (numbers[0] != ENOENT || !has_folder))
      return fmt::format("; {}", way_out);
  return "";
}

// Of a text that somebody has pasted, the beginning and the end.
std::string shortened(const std::string& line) {
  constexpr std::size_t longest = 2000;
  if (line.size() <= longest) return line;
  return fmt::format("{} … {}", whole_letters(line.substr(0, longest / 4)),
                     whole_letters(line.substr(line.size() - longest / 2)));
}

// Prints a line on stderr for each line of the message. A text given as a config has a mistake in each of its lines.
void report(const DriverDescription& driver, const std::string& message) {
  constexpr int most = 10;
  std::istringstream lines(message);
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count)
    if (count < most) say_on_stderr(fmt::format("{}: {}\n", driver.name, shortened(line)));
  if (count > most) say_on_stderr(fmt::format("{}: {} more like these\n", driver.name, count - most));
}

// Each thread has this limit, and uses less than half of it.
void require_stack() {
  constexpr rlim_t needed = 512 << 10;
  rlimit limit{};
  if (::getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= needed) return;
  throw ConfigError(
      fmt::format("the limit of the stack is {} kB, expected at least {} kB; raise it (ulimit -s)",
                  limit.rlim_cur >> 10U, needed >> 10U));
}

// The text that the command line asks for instead of a run; empty if none.
std::string answer_to(const CommandLine& command, const DriverDescription& driver) {
  if (command.help) return help_text(driver, terminal_of(STDOUT_FILENO));
  if (command.given.contains("list")) return list_text(command.listed);
  return command.print_config ? command.settings.print_config() : "";
}

int run(int argc, const char* const* argv, const DriverDescription& driver) {
  require_processor();
  CommandLine command = parse_command_line(argc, argv, driver);
  const std::string answer = answer_to(command, driver);
  if (!answer.empty()) {
    say_on_stdout(answer);
    return 0;
  }
  require_stack();
  if (command.threads == 0) command.threads = processors_to_use(usable_processors());
  prepare_blas(command.threads);
  return driver.body(command);
}

template <typename... Errors>
bool is_any(const std::exception& error) {
  return ((dynamic_cast<const Errors*>(&error) != nullptr) || ...);
}

// Returns the exit code, and reports what is thrown. A container throws length_error for a size that exceeds any memory.
int try_to_run(int argc, const char* const* argv, const DriverDescription& driver) {
  try {
    const int exit_code = run(argc, argv, driver);
    if (exit_code == 0 && std::ferror(stdout) != 0)
      throw std::runtime_error("stdout: cannot write everything; files of results are complete");
    return exit_code;
  } catch (const std::exception& error) {
    const auto* of_file = dynamic_cast<const std::filesystem::filesystem_error*>(&error);
    std::string problem = of_file != nullptr ? file_problem(*of_file) : error.what();
    if (is_any<std::bad_alloc, std::length_error>(error))
      problem = "out of memory: " + less_memory + "; everything that was saved stays";
    report(driver, problem);
    return is_any<std::filesystem::filesystem_error, ConfigError, DataError, CheckpointError, PositionError,
                  std::invalid_argument>(error)
               ? fixable
               : failure;
  }
}

}  // namespace

// The standard library says "filesystem error: what was tried: the reason [path]".
std::string file_problem(const std::filesystem::filesystem_error& error) {
  constexpr std::string_view prefix = "filesystem error: ";
  std::string_view text = error.what();
  if (text.starts_with(prefix)) text.remove_prefix(prefix.size());
  text = text.substr(0, text.find(" [" + error.path1().string() + "]"));
  return fmt::format("{}: {}{}", error.path1().string(), text, way_out_of(error));
}

int run_driver(int argc, const char* const* argv, DriverDescription (*describe)()) {
  prepare_streams();
  end_on_signals();
  const int exit_code = try_to_run(argc, argv, describe());
  if (has_mapping_limit()) {
    std::fflush(nullptr);
    std::_Exit(exit_code);
  }
  return exit_code;
}

}  // namespace ordinal::experiments

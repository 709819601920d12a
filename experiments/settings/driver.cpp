#include "experiments/settings/driver.h"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <new>
#include <stdexcept>

#include "experiments/settings/file_problem.h"
#include "experiments/settings/parts.h"
#include "experiments/settings/streams.h"
#include "framework/core/blas.h"
#include "framework/core/errors.h"
#include "framework/core/printable.h"
#include "framework/core/threads.h"

namespace ordinal::experiments {
namespace {

constexpr int failure = 1;
constexpr int fixable = 2;

constexpr const char* out_of_memory =
    "out of memory: use a smaller model.d_model, model.layers, train.batch, task.train_length or "
    "evaluate.lengths "
    "(--dry-run shows what training needs); everything that was saved stays";

// One line on stderr for each line of the message.
int report(const DriverDescription& driver, const std::string& message, int exit_code) {
  for (std::size_t start = 0; start <= message.size();) {
    const std::size_t end = std::min(message.find('\n', start), message.size());
    say_on_stderr(fmt::format("{}: {}\n", driver.name, printable(message.substr(start, end - start))));
    start = end + 1;
  }
  return exit_code;
}

// If there is no room for its buffers, OpenBLAS waits for them for ever, even when the process ends: hence _Exit.
void require_blas_memory(const DriverDescription& driver, int threads) {
  try {
    check_blas_memory(threads);
  } catch (const std::runtime_error& error) {
    std::_Exit(report(driver, error.what(), failure));
  }
}

int run(int argc, const char* const* argv, const DriverDescription& driver) {
  const CommandLine command = parse_command_line(argc, argv, driver);
  if (command.help) {
    fmt::print("{}", help_text(driver));
    return 0;
  }
  if (command.list) {
    fmt::print("{}", list_text(command.listed));
    return 0;
  }
  if (command.print_config) {
    fmt::print("{}", command.settings.print_config());
    return 0;
  }
  require_blas_memory(driver, command.threads > 0 ? command.threads : usable_processors());
  return driver.body(command);
}

}  // namespace

int run_driver(int argc, const char* const* argv, const DriverDescription& driver) {
  prepare_streams();
  try {
    const int exit_code = run(argc, argv, driver);
    return stdout_is_whole(driver.name) || exit_code != 0 ? exit_code : failure;
  } catch (const ConfigError& error) {
    return report(driver, error.what(), fixable);
  } catch (const DataError& error) {
    return report(driver, error.what(), fixable);
  } catch (const CheckpointError& error) {
    return report(driver, error.what(), fixable);
  } catch (const std::invalid_argument& error) {
    return report(driver, error.what(), fixable);
  } catch (const PositionError& error) {
    return report(driver, error.what(), fixable);
  } catch (const std::filesystem::filesystem_error& error) {
    return report(driver, file_problem(error), fixable);
  } catch (const std::bad_alloc&) {
    return report(driver, out_of_memory, failure);
  } catch (const std::length_error&) {  // of a container: more than any memory holds
    return report(driver, out_of_memory, failure);
  } catch (const std::exception& error) {
    return report(driver, error.what(), failure);
  }
}

}  // namespace ordinal::experiments

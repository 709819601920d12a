#include "experiments/process/terminal.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>

namespace ordinal::experiments {
namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// mpirun gives its programs terminals of its own, whatever theirs are connected to.
bool runs_under_mpi() { return !variable("OMPI_COMM_WORLD_SIZE").empty() || !variable("PMI_SIZE").empty(); }

}  // namespace

std::optional<Terminal> terminal_of(int stream) {
  if (isatty(stream) == 0 || runs_under_mpi()) return std::nullopt;
  Terminal terminal;
  winsize size{};
  if (ioctl(stream, TIOCGWINSZ, &size) == 0) {  // 0: not known
    if (size.ws_col > 1) terminal.columns = size.ws_col;
    if (size.ws_row > 1) terminal.rows = size.ws_row;
  }
  const std::string name = variable("TERM");
  terminal.moves = !name.empty() && name != "dumb";
  terminal.colors = terminal.moves && variable("NO_COLOR").empty();
  return terminal;
}

std::string styled(const std::string& text, Style style, bool colors) {
  if (!colors || text.empty()) return text;
  const int code = style == Style::bold ? 1 : style == Style::dim ? 2 : 31;
  return fmt::format("\033[{}m{}\033[0m", code, text);
}

}  // namespace ordinal::experiments

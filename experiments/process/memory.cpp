#include "experiments/process/memory.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>

#include "experiments/process/machine.h"
#include "framework/core/errors.h"
#include "framework/core/text.h"

namespace ordinal::experiments {
namespace {

namespace fs = std::filesystem;

// Estimates may be too large, by less than a third.
constexpr double certain_share = 0.75;

constexpr double none = std::numeric_limits<double>::infinity();

// The number that a file starts with; `none` if it cannot be read, or starts with a word such as "max".
double number_in(const fs::path& file) {
  std::string word;
  std::ifstream(file) >> word;
  return parse_real(word).value_or(none);
}

// The lowest limit of the control group, "0::/group" in its file (lines of version 1 have a number and controllers), and its
// ancestors. In a container the path may be that of the host; then only the root exists.
double control_group_limit(const fs::path& root) {
  double lowest = none;
  for (fs::path at = rest_of_line(root / "proc/self/cgroup", "0::");; at = at.parent_path()) {
    lowest = std::min(lowest, number_in(root / "sys/fs/cgroup" / at.relative_path() / "memory.max"));
    if (at == at.parent_path()) return lowest;
  }
}

// The bytes left in the address space.
double address_space_left(const fs::path& root) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return none;
  const double pages = number_in(root / "proc/self/statm");
  const double used = pages == none ? 0.0 : pages * static_cast<double>(::sysconf(_SC_PAGE_SIZE));
  return std::max(0.0, static_cast<double>(limit.rlim_cur) - used);
}

std::string size_text(double bytes) {
  return bytes < 1e9 ? fmt::format("{:.0f} MB", bytes / 1e6) : fmt::format("{:.1f} GB", bytes / 1e9);
}

}  // namespace

MemoryLimit memory_limit(const fs::path& root) {
  struct sysinfo machine {};
  MemoryLimit lowest{none, ""};
  const auto take = [&](double bytes, const char* source) {
    if (bytes < lowest.bytes) lowest = {bytes, source};
  };
  double swap = 0.0;
  if (::sysinfo(&machine) == 0) {
    const auto unit = static_cast<double>(machine.mem_unit);
    swap = static_cast<double>(machine.totalswap) * unit;
    take(static_cast<double>(machine.totalram) * unit + swap, "the machine has");
  }
  take(control_group_limit(root) + swap, "the control group of this process may use");
  take(address_space_left(root), "the address space of this process has room for (ulimit -v)");
  return lowest;
}

bool fits_memory(double bytes, const MemoryLimit& limit) { return certain_share * bytes <= limit.bytes; }

void check_memory(double bytes, const MemoryLimit& limit) {
  if (fits_memory(bytes, limit)) return;
  throw ConfigError(fmt::format("out of memory: this run needs about {}, {} {}; {}", size_text(bytes),
                                limit.source, size_text(limit.bytes), less_memory));
}

int jobs_that_fit(const std::function<double(int)>& needed, int most, int asked, const MemoryLimit& limit) {
  const double room = asked > 0 ? limit.bytes : 0.5 * limit.bytes;
  const int wanted = asked > 0 ? std::min(asked, most) : most;
  int jobs = 1;
  while (jobs < wanted && needed(jobs + 1) <= room) ++jobs;
  return jobs;
}

}  // namespace ordinal::experiments

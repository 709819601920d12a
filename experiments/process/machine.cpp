// CMakeLists.txt defines ORDINAL_VERSION, ORDINAL_COMPILER and ORDINAL_FLAGS.
#include "experiments/process/machine.h"

#include <fmt/format.h>
#include <malloc.h>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>

#include "framework/core/errors.h"
#include "framework/core/tensor.h"
#include "framework/core/text.h"
#include "framework/math/blas.h"

namespace ordinal::experiments {
namespace {

namespace fs = std::filesystem;

constexpr double none = std::numeric_limits<double>::infinity();

// The rest of the first line of a file in /proc that starts with `start`; empty if there is none.
std::string rest_of_line(const fs::path& file, const std::string& start) {
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with(start)) return line.substr(start.size());
  return "";
}

// The number that a file starts with; `none` if it cannot be read, or starts with a word such as "max".
double number_in(const fs::path& file) {
  std::string word;
  std::ifstream(file) >> word;
  return parse_real(word).value_or(none);
}

// The lowest limit, by limit_in(folder), of the control group, "0::/group" in its file (lines of version 1 have a number and
// controllers), and its ancestors. In a container the path may be that of the host; then only the root exists.
double control_group_limit(const fs::path& root, double (*limit_in)(const fs::path& folder)) {
  double lowest = none;
  for (fs::path at = rest_of_line(root / "proc/self/cgroup", "0::");; at = at.parent_path()) {
    lowest = std::min(lowest, limit_in(root / "sys/fs/cgroup" / at.relative_path()));
    if (at == at.parent_path()) return lowest;
  }
}

double memory_in(const fs::path& folder) { return number_in(folder / "memory.max"); }

// "200000 100000": two processors on average.
double processors_in(const fs::path& folder) {
  std::string quota;
  std::string period;
  std::ifstream(folder / "cpu.max") >> quota >> period;
  return parse_real(quota).value_or(none) / parse_real(period).value_or(1e5);
}

// The limit of version 1, where the first line with this controller names the group.
double control_group_limit_1(const fs::path& root) {
  double lowest = none;
  std::ifstream lines(root / "proc/self/cgroup");
  for (std::string line; std::getline(lines, line);) {
    const std::size_t at = line.find(":memory:");
    if (at == std::string::npos) continue;
    const fs::path memory = root / "sys/fs/cgroup/memory";
    for (const fs::path& group : {memory / fs::path(line.substr(at + 8)).relative_path(), memory})
      lowest = std::min(lowest, number_in(group / "memory.limit_in_bytes"));
  }
  return lowest;
}

double page_size() { return static_cast<double>(::sysconf(_SC_PAGE_SIZE)); }

std::string size_text(double bytes) {
  return bytes < 1e9 ? fmt::format("{:.0f} MB", bytes / 1e6) : fmt::format("{:.1f} GB", bytes / 1e9);
}

// The stacks of as many threads as there are: a run starts that many, less one, and its heap grows a little.
double more_stacks() {
  pthread_attr_t of_threads;
  std::size_t stack = 0;
  ::pthread_attr_init(&of_threads);
  ::pthread_attr_getstacksize(&of_threads, &stack);
  return static_cast<double>(stack) *
         parse_real(rest_of_line("/proc/self/status", "Threads:\t")).value_or(1.0);
}

// What `most` bytes leave. A column of /proc/self/statm has the pages that count: all, those in memory, or those of data.
MemoryLimit left_of(double most, const char* what, int column, double more = 0.0) {
  if (most == none) return {none, what};
  ::malloc_trim(0);  // what is free counts as left
  std::ifstream statm("/proc/self/statm");
  double pages = 0.0;
  for (int i = 0; i <= column; ++i) statm >> pages;
  const double taken = pages * page_size() + more;
  return {std::max(0.0, most - taken), fmt::format("{} of {} leaves, beside the {} of the program itself,",
                                                   what, size_text(most), size_text(taken))};
}

// Of the limits on mapped memory, used or not.
MemoryLimit mapping_limit() {
  const auto most = [](auto resource) {
    rlimit limit{};
    return ::getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY
               ? none
               : static_cast<double>(limit.rlim_cur);
  };
  return std::min(left_of(most(RLIMIT_AS), "the limit (ulimit -v)", 0, more_stacks()),
                  left_of(most(RLIMIT_DATA), "the limit (ulimit -d)", 5, more_stacks()));
}

}  // namespace

std::string startup_line(int threads) {
  const BlasInfo blas = blas_info();
  return fmt::format("ordinal {}, {} products with {} lanes, {} ({}, {}) for doubles, {} thread{}",
                     ORDINAL_VERSION, blas.products, blas.lanes, blas.version, blas.threading, blas.kernel,
                     threads, threads == 1 ? "" : "s");
}

std::vector<std::pair<std::string, std::string>> machine_facts() {
  const BlasInfo blas = blas_info();
  const std::string processor = rest_of_line("/proc/cpuinfo", "model name\t: ");
  return {{"version", ORDINAL_VERSION},
          {"products", blas.products},
          {"compiler", ORDINAL_COMPILER},
          {"flags", ORDINAL_FLAGS},
          {"blas", fmt::format("{} ({}, {})", blas.version, blas.threading, blas.kernel)},
          {"processor", processor.empty() ? "unknown" : processor}};
}

std::string results_version() {
  const std::string version = ORDINAL_VERSION;
  return version.substr(0, version.find('.'));
}

std::string builds_with_this(const std::string& before) {
  const std::string here = fmt::format("{} with {} products", ORDINAL_VERSION, blas_info().products);
  if (before.ends_with(here)) return before;
  return before.empty() ? here : before + "; " + here;
}

MemoryLimit memory_limit(const fs::path& root) {
  const double machine = static_cast<double>(::sysconf(_SC_PHYS_PAGES)) * page_size();
  const double group = std::min(control_group_limit(root, memory_in), control_group_limit_1(root));
  return std::min({left_of(machine, "the memory of the machine", 1),
                   left_of(group, "the limit of the control group", 1), mapping_limit()});
}

void require_processor() {
#if defined(__x86_64__)
  bool has_all = true;
#if defined(__AVX2__) && defined(__FMA__)
  has_all = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#endif
#if defined(__AVX512F__)
  has_all = has_all && __builtin_cpu_supports("avx512f");
#endif
  if (has_all) return;
  throw ConfigError(
      "this processor lacks instructions that the program was compiled to use; build it here, or with the "
      "preset portable");
#endif
}

int processors_to_use(int processors, const fs::path& root) {
  const double most = std::ceil(control_group_limit(root, processors_in));
  return most < processors ? std::max(1, static_cast<int>(most)) : processors;
}

bool has_mapping_limit() { return mapping_limit().bytes < none; }

// The thread that OpenBLAS starts takes a buffer at any time until the first product, which ends it and gets its buffer.
void prepare_blas(int threads) {
  if (!has_mapping_limit()) return;
  ::mallopt(M_ARENA_MAX, 1);  // a heap for each thread would take 64 MB
  constexpr double buffer = 128 << 20U;
  const Tensor<double> factor({128, 128});  // a product of smaller ones needs no buffer
  Tensor<double> product({128, 128});
  for (const int more : {1, threads - 1}) {
    const MemoryLimit limit = mapping_limit();
    if (more * buffer > limit.bytes) {
      throw ConfigError(fmt::format(
          "out of memory: OpenBLAS needs {} more for {} thread{}, {} {}; raise it or use fewer threads",
          size_text(more * buffer), threads, threads == 1 ? "" : "s", limit.source, size_text(limit.bytes)));
    }
    multiply<double>(factor.view(), factor.view(), product.view());
  }
}

bool fits_memory(double bytes, const MemoryLimit& limit) { return bytes <= limit.bytes; }

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

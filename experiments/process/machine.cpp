// CMakeLists.txt defines ORDINAL_VERSION, ORDINAL_COMPILER and ORDINAL_FLAGS, for this file only.
#include "experiments/process/machine.h"

#include <fmt/format.h>

#include <fstream>

#include "framework/math/blas.h"

namespace ordinal::experiments {
namespace {

std::string hint(const BlasInfo& blas) {
  const std::string flags = rest_of_line("/proc/cpuinfo", "flags\t\t:") + " ";
  if (flags.find(" avx512f ") == std::string::npos || blas.lanes == 16) return "";
  return "\nhint: this processor has AVX-512, but this build does not use it, and is about half as fast; "
         "configure with ORDINAL_NATIVE=ON";
}

}  // namespace

std::string startup_line(int threads) {
  const BlasInfo blas = blas_info();
  return fmt::format("ordinal {}, {} products with {} lanes, {} ({}, {}) for doubles, {} thread{}{}",
                     ORDINAL_VERSION, blas.products, blas.lanes, blas.version, blas.threading, blas.kernel,
                     threads, threads == 1 ? "" : "s", hint(blas));
}

std::string results_version() {
  const std::string version = ORDINAL_VERSION;
  return version.substr(0, version.rfind('.'));
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

std::string builds_with_this(const std::string& before) {
  const std::string here = fmt::format("{} with {} products", ORDINAL_VERSION, blas_info().products);
  if (before.ends_with(here)) return before;
  return before.empty() ? here : before + "; " + here;
}

std::string rest_of_line(const std::filesystem::path& file, const std::string& start) {
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with(start)) return line.substr(start.size());
  return "";
}

}  // namespace ordinal::experiments

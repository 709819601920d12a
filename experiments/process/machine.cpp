// CMakeLists.txt defines ORDINAL_VERSION, ORDINAL_COMPILER and ORDINAL_FLAGS, for this file only.
#include "experiments/process/machine.h"

#include <fmt/format.h>

#include <fstream>

#include "framework/math/blas.h"

namespace ordinal::experiments {
namespace {

// The value of the first line "name : value" of /proc/cpuinfo.
std::string processor_fact(const std::string& name) {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with(name) && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown";
}

std::string hint(const BlasInfo& blas) {
  const bool has_avx512 = (" " + processor_fact("flags") + " ").find(" avx512f ") != std::string::npos;
  if (!has_avx512 || blas.lanes == 16) return "";
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
  return {{"version", ORDINAL_VERSION},
          {"products", blas.products},
          {"compiler", ORDINAL_COMPILER},
          {"flags", ORDINAL_FLAGS},
          {"blas", fmt::format("{} ({}, {})", blas.version, blas.threading, blas.kernel)},
          {"processor", processor_fact("model name")}};
}

std::string build_of_bits() {
  return fmt::format("{} with {} products", ORDINAL_VERSION, blas_info().products);
}

std::string builds_with_this(const std::string& before) {
  const std::string here = build_of_bits();
  if (before.ends_with(here)) return before;
  return before.empty() ? here : before + "; " + here;
}

}  // namespace ordinal::experiments

#include "experiments/runs/machine.h"

#include <fmt/format.h>

#include <fstream>

#include "framework/core/blas.h"
#include "framework/core/build_info.h"

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

bool has_avx512() { return (" " + processor_fact("flags") + " ").find(" avx512f ") != std::string::npos; }

std::string hint(const BlasInfo& blas) {
  if (blas.threading == "OpenMP") {
    return "\nwarning: this OpenBLAS is an OpenMP build, which may run its own threads; install "
           "libopenblas0-pthread";
  }
  if (!has_avx512() || uses_avx512(blas.kernel)) return "";
  return fmt::format(
      "\nhint: this processor has AVX-512, but OpenBLAS uses its {} kernels, about half as fast; see "
      "OPENBLAS_CORETYPE",
      blas.kernel);
}

}  // namespace

std::string startup_line(int threads) {
  const BlasInfo blas = blas_info();
  return fmt::format("ordinal {}, {} ({}) with {} kernels, {} thread{}{}", version(), blas.version,
                     blas.threading, blas.kernel, threads, threads == 1 ? "" : "s", hint(blas));
}

std::vector<std::pair<std::string, std::string>> machine_facts(int threads) {
  const BlasInfo blas = blas_info();
  return {{"version", version()},
          {"compiler", compiler()},
          {"flags", compile_flags()},
          {"blas", fmt::format("{} ({})", blas.version, blas.threading)},
          {"blas_kernel", blas.kernel},
          {"processor", processor_fact("model name")},
          {"threads", std::to_string(threads)}};
}

}  // namespace ordinal::experiments

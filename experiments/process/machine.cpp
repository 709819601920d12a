// CMakeLists.txt defines ORDINAL_VERSION, ORDINAL_COMPILER and ORDINAL_FLAGS, for this file only.
#include "experiments/process/machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "framework/core/blas.h"
#include "framework/core/jit_gemm.h"
#include "framework/core/options.h"
#include "framework/storage/json_depth.h"

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

using Json = nlohmann::ordered_json;

// The machines in a text; none if it does not hold any.
Json parsed(const std::string& text) {
  if (is_nested_too_deep(text)) return Json::array();
  Json machines = Json::parse(text, nullptr, false);
  const bool whole = machines.is_array() &&
                     std::ranges::all_of(machines, [](const Json& machine) { return machine.is_object(); });
  return whole ? machines : Json::array();
}

std::string fact(const Json& machine, const std::string& key) {
  const auto found = machine.find(key);
  return found != machine.end() && found->is_string() ? found->get<std::string>() : "not recorded";
}

std::vector<std::string> differences(const Json& before, const Json& now) {
  std::vector<std::string> all;
  for (const auto& [key, value] : machine_facts()) {
    if (fact(before, key) == fact(now, key)) continue;
    all.push_back(fmt::format("{} was {}, is {}", key, fact(before, key), fact(now, key)));
  }
  return all;
}

std::string kernels(const BlasInfo& blas) {
  return blas.jit.empty() ? blas.kernel : blas.kernel + " and " + blas.jit;
}

bool has_avx512() { return (" " + processor_fact("flags") + " ").find(" avx512f ") != std::string::npos; }

std::string hint(const BlasInfo& blas) {
  if (blas.threading == "OpenMP") {
    return "\nwarning: this OpenBLAS is an OpenMP build, which may run its own threads; install "
           "libopenblas0-pthread";
  }
  if (!has_avx512() || uses_avx512(blas.kernel) || jit_uses_avx512()) return "";
  return fmt::format(
      "\nhint: this processor has AVX-512, but OpenBLAS uses its {} kernels, about half as fast; see "
      "OPENBLAS_CORETYPE",
      blas.kernel);
}

}  // namespace

std::string startup_line(int threads, int ranks) {
  const BlasInfo blas = blas_info();
  return fmt::format("ordinal {}, {} ({}) with {} kernels, {}{} thread{}{}", ORDINAL_VERSION, blas.version,
                     blas.threading, kernels(blas), ranks > 1 ? fmt::format("{} ranks × ", ranks) : "",
                     threads, threads == 1 ? "" : "s", hint(blas));
}

Facts machine_facts() {
  const BlasInfo blas = blas_info();
  return {{"version", ORDINAL_VERSION},   {"compiler", ORDINAL_COMPILER},
          {"flags", ORDINAL_FLAGS},       {"blas", fmt::format("{} ({})", blas.version, blas.threading)},
          {"blas_kernel", kernels(blas)}, {"processor", processor_fact("model name")}};
}

std::string machines_with_this(const std::string& before, Index step) {
  Json machines = parsed(before);
  Json here = {{"from_step", step}};
  for (const auto& [key, value] : machine_facts()) here[key] = value;
  if (machines.empty() || !differences(machines.back(), here).empty()) machines.push_back(here);
  return machines.dump();
}

std::string last_change(const std::string& machines) {
  const Json all = parsed(machines);
  return all.size() < 2 ? "" : joined(differences(all[all.size() - 2], all.back()));
}

Facts all_facts(const std::vector<std::string>& trainings) {
  Facts facts = machine_facts();
  for (auto& [key, value] : facts) {
    std::vector<std::string> values;
    const auto add = [&](const std::string& one) {
      if (std::ranges::find(values, one) == values.end()) values.push_back(one);
    };
    for (const std::string& training : trainings) {
      const Json machines = parsed(training);
      if (machines.empty()) add("not recorded");
      for (const Json& machine : machines) add(fact(machine, key));
    }
    value = joined(values, "; ");
  }
  return facts;
}

}  // namespace ordinal::experiments

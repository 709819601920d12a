// CMakeLists.txt defines ORDINAL_VERSION, ORDINAL_COMPILER and ORDINAL_FLAGS, for this file only.
#include "experiments/process/machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "framework/core/blas.h"
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

// The machines in a text; none if it is not a JSON array of objects.
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

std::vector<std::string> differences(const Json& before, const Json& now, const Facts& facts) {
  std::vector<std::string> all;
  for (const auto& [key, value] : facts) {
    if (fact(before, key) == fact(now, key)) continue;
    all.push_back(fmt::format("{} was {}, is {}", key, fact(before, key), fact(now, key)));
  }
  return all;
}

bool has_avx512() { return (" " + processor_fact("flags") + " ").find(" avx512f ") != std::string::npos; }

std::string hint(const BlasInfo& blas) {
  if (blas.threading == "OpenMP") {
    return "\nwarning: this OpenBLAS is an OpenMP build, which may run its own threads; install "
           "libopenblas0-pthread";
  }
  if (!has_avx512() || blas.lanes == 16) return "";
  return "\nhint: this processor has AVX-512, but this build does not use it, and is about half as fast; "
         "configure with ORDINAL_NATIVE=ON";
}

Facts bit_facts() { return {{"version", ORDINAL_VERSION}, {"products", blas_info().products}}; }

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

Facts machine_facts() {
  const BlasInfo blas = blas_info();
  Facts facts = bit_facts();
  facts.insert(facts.end(), {{"compiler", ORDINAL_COMPILER},
                             {"flags", ORDINAL_FLAGS},
                             {"blas", fmt::format("{} ({}, {})", blas.version, blas.threading, blas.kernel)},
                             {"processor", processor_fact("model name")}});
  return facts;
}

std::string machines_with_this(const std::string& before, Index step) {
  Json machines = parsed(before);
  Json here = {{"from_step", step}};
  for (const auto& [key, value] : machine_facts()) here[key] = value;
  if (machines.empty() || !differences(machines.back(), here, machine_facts()).empty())
    machines.push_back(here);
  return machines.dump();
}

std::string last_change(const std::string& machines) {
  const Json all = parsed(machines);
  return all.size() < 2 ? "" : joined(differences(all[all.size() - 2], all.back(), bit_facts()));
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

// The program that tests/fuzz/run runs: fuzz TARGET [options of libFuzzer] [folder of inputs]
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "tests/fuzz/targets.h"

namespace {

const ordinal::fuzz::Target*& chosen() {
  static const ordinal::fuzz::Target* target = nullptr;
  return target;
}

}  // namespace

// Takes the name of the target out of the arguments.
// NOLINTNEXTLINE(readability-identifier-naming): a name of libFuzzer
extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  const std::string name = *argc > 1 ? (*argv)[1] : "";
  for (const ordinal::fuzz::Target& target : ordinal::fuzz::targets()) {
    if (target.name == name) chosen() = &target;
  }
  if (chosen() == nullptr) {
    std::fprintf(stderr, "fuzz: got target '%s', expected one of the folders of tests/fuzz/corpus\n",
                 name.c_str());
    std::exit(2);
  }
  (*argv)[1] = (*argv)[0];
  ++*argv;
  --*argc;
  return 0;
}

// NOLINTNEXTLINE(readability-identifier-naming): a name of libFuzzer
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  chosen()->run(std::string(reinterpret_cast<const char*>(data), size));
  return 0;
}

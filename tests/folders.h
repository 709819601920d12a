// Where the programs of this build and the files of the tests are.
#pragma once

#include <filesystem>
#include <string>

namespace ordinal {

/// The folder of this test program and of the others. Found at run time, so that all builds compile the same tests.
inline std::filesystem::path bin_folder() {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path();
}

/// The folder of the project. Defined in main.cpp alone, so that all checkouts compile the same tests.
std::filesystem::path source_folder();

/// The folder of the files that the tests read.
inline std::filesystem::path fixtures_folder() { return source_folder() / "tests/fixtures"; }

/// The path of a program, quoted for a shell.
inline std::string quoted_program(const std::string& name) {
  return "'" + (bin_folder() / name).string() + "'";
}

}  // namespace ordinal

// Where the programs of this build are.
#pragma once

#include <filesystem>
#include <string>

namespace ordinal {

/// The folder of this test program and of the others. Found at run time, so that all builds compile the same tests.
inline std::filesystem::path bin_folder() {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path();
}

/// The path of a program, quoted for a shell.
inline std::string quoted_program(const std::string& name) {
  return "'" + (bin_folder() / name).string() + "'";
}

}  // namespace ordinal

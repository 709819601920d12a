// Runs the tests of one process with a separate temporary folder, so that tests and suites running in
// parallel never share a file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

#include "tests/folders.h"

std::filesystem::path ordinal::source_folder() { return ORDINAL_SOURCE_DIR; }

int main(int argc, char** argv) {
  ::testing::InitGoogleMock(&argc, argv);
  std::string folder = ::testing::TempDir() + "ordinal-tests-XXXXXX";
  if (::mkdtemp(folder.data()) == nullptr) {
    std::perror(("ordinal_tests: cannot make a temporary folder " + folder).c_str());
    return 2;
  }
  ::setenv("TEST_TMPDIR", folder.c_str(), 1);
  const int status = RUN_ALL_TESTS();
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
  return status;
}

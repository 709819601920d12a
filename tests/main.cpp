// Runs the tests of one process with a separate temporary folder, so that tests and suites running in
// parallel never share a file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

#include "tests/folders.h"

std::filesystem::path ordinal::source_folder() { return ORDINAL_SOURCE_DIR; }

namespace {

// A test, and each program that it starts, may take this much processor time. A limit of wall time fails on a busy machine.
class ProcessorTimeLimit : public ::testing::EmptyTestEventListener {
  static constexpr rlim_t seconds = 600;

  void OnTestStart(const ::testing::TestInfo& /*test*/) override {
    rusage used{};
    rlimit limit{};
    if (::getrusage(RUSAGE_SELF, &used) != 0 || ::getrlimit(RLIMIT_CPU, &limit) != 0) return;
    const auto so_far = static_cast<rlim_t>(used.ru_utime.tv_sec + used.ru_stime.tv_sec);
    limit.rlim_cur = std::min(limit.rlim_max, so_far + seconds);
    ::setrlimit(RLIMIT_CPU, &limit);
  }
};

}  // namespace

int main(int argc, char** argv) {
  ::testing::InitGoogleMock(&argc, argv);
  ::testing::UnitTest::GetInstance()->listeners().Append(new ProcessorTimeLimit());  // which owns it
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

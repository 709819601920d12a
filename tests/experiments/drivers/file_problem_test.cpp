#include "experiments/programs/driver.h"

#include <gtest/gtest.h>

#include "framework/storage/atomic_file.h"
#include "tests/framework/storage/scratch_folder.h"

namespace ordinal::experiments {
namespace {

namespace fs = std::filesystem;

TEST(FileProblem, NamesThePathTheReasonAndAWayOut) {
  const ScratchFolder folder;
  const std::string missing = (folder / "missing/file").string();
  try {
    write_file_atomically(missing, "text");
    FAIL();
  } catch (const fs::filesystem_error& error) {
    EXPECT_EQ(file_problem(error),
              missing + ": cannot write: No such file or directory; make its folder first");
  }
  const auto nothing = std::make_error_code(std::errc::no_such_file_or_directory);
  for (const std::string& there : {(folder / "file").string(), std::string("/proc/x"), std::string("x")})
    EXPECT_EQ(file_problem({"cannot write", there, nothing}),
              there + ": cannot write: No such file or directory")
        << "its folder exists";
  const auto full = std::make_error_code(std::errc::no_space_on_device);
  EXPECT_EQ(file_problem({"cannot write", "out/a", full}),
            "out/a: cannot write: No space left on device; free some space and repeat the command");
  EXPECT_EQ(file_problem({"cannot rename", "a", "b", std::error_code()}), "a: cannot rename: Success");
}

}  // namespace
}  // namespace ordinal::experiments

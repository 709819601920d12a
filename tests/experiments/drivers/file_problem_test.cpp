#include "experiments/programs/driver.h"

#include <gtest/gtest.h>

#include "framework/storage/atomic_file.h"
#include "tests/framework/storage/scratch_folder.h"

namespace ordinal::experiments {
namespace {

namespace fs = std::filesystem;

template <typename Action>
std::string problem_of(const Action& action) {
  try {
    action();
  } catch (const fs::filesystem_error& error) {
    return file_problem(error);
  }
  return "";
}

TEST(FileProblem, NamesThePathTheReasonAndAWayOut) {
  const ScratchFolder folder;
  write_raw(folder / "file", "");
  const std::string below = (folder / "file/below").string();
  EXPECT_EQ(
      problem_of([&] { fs::create_directories(below); }),
      below +
          ": cannot create directories: Not a directory; a file stands where a folder is expected, or the "
          "other way round: remove it, or choose another name");
  const std::string missing = (folder / "missing/file").string();
  EXPECT_EQ(problem_of([&] { write_file_atomically(missing, "text"); }),
            missing + ": cannot write: No such file or directory; make its folder first");
  EXPECT_EQ(problem_of([&] {
              throw fs::filesystem_error("cannot write", "out/a",
                                         std::make_error_code(std::errc::no_space_on_device));
            }),
            "out/a: cannot write: No space left on device; free some space and repeat the command");
  EXPECT_EQ(problem_of([&] { throw fs::filesystem_error("cannot rename", "a", "b", std::error_code()); }),
            "a: cannot rename: Success");
}

}  // namespace
}  // namespace ordinal::experiments

#include "experiments/tasks/mapped_file.h"

#include <gtest/gtest.h>

#include "framework/core/errors.h"
#include "tests/framework/storage/scratch_folder.h"
#include "tests/message_of.h"

namespace ordinal::experiments {
namespace {

TEST(MappedFile, HoldsAllBytes) {
  const ScratchFolder folder;
  write_raw(folder / "file", std::string("one\0two", 7));
  EXPECT_EQ(MappedFile(folder / "file").bytes(), std::string_view("one\0two", 7));
  write_raw(folder / "empty", "");
  const MappedFile empty(folder / "empty");
  EXPECT_EQ(empty.bytes(), "");
  EXPECT_NO_THROW(empty.check_unchanged());
}

TEST(MappedFile, NoticesWhateverIsWrittenToTheFile) {
  const ScratchFolder folder;
  const auto path = folder / "file";
  write_raw(path, "ten bytes.");
  const MappedFile file(path);
  file.check_unchanged();
  std::filesystem::last_write_time(path, std::filesystem::last_write_time(path) + std::chrono::seconds(1));
  EXPECT_THROW(file.check_unchanged(), DataError);
  std::filesystem::resize_file(path, 3);
  EXPECT_EQ(message_of<DataError>([&] { file.check_unchanged(); }),
            path.string() +
                ": the file was changed while it was in use (it had 10 bytes, now 3); restore it and "
                "repeat the command");
}

}  // namespace
}  // namespace ordinal::experiments

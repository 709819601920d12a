#include "framework/storage/atomic_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <array>
#include <atomic>
#include <functional>
#include <thread>
#include <vector>

#include "framework/core/errors.h"
#include "tests/framework/storage/file_size_limit.h"
#include "tests/framework/storage/scratch_folder.h"
#include "tests/message_of.h"

namespace ordinal {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(WriteFileAtomically, WritesAllChunksInOrder) {
  const ScratchFolder folder;
  const std::array<Bytes, 3> chunks{std::as_bytes(std::span("one ", 4)), Bytes{},
                                    std::as_bytes(std::span("t\0o", 3))};
  write_file_atomically(folder / "file", chunks);
  EXPECT_EQ(read_file(folder / "file"), std::string("one t\0o", 7));
  EXPECT_EQ(folder.file_count(), 1U);
}

TEST(WriteFileAtomically, ReplacesALongerFile) {
  const ScratchFolder folder;
  write_file_atomically(folder / "file", "a long text");
  write_file_atomically(folder / "file", "short");
  EXPECT_EQ(read_file(folder / "file"), "short");
  write_file_atomically(folder / "file", "");
  EXPECT_EQ(read_file(folder / "file"), "");
  EXPECT_EQ(folder.file_count(), 1U);
}

TEST(WriteFileAtomically, TakesANameWithoutAFolder) {
  const ScratchFolder folder;
  const fs::path before = fs::current_path();
  fs::current_path(folder.path());
  write_file_atomically("file", "here");
  fs::current_path(before);
  EXPECT_EQ(read_file(folder / "file"), "here");
}

TEST(WriteFileAtomically, KeepsThePreviousFileWhenTheDiskIsFull) {
  const ScratchFolder folder;
  write_file_atomically(folder / "file", "previous");
  std::string message;
  {
    const FileSizeLimit limit(4096);
    message = message_of<fs::filesystem_error>(
        [&] { write_file_atomically(folder / "file", std::string(100'000, 'x')); });
  }
  EXPECT_THAT(message, HasSubstr("cannot write: File too large"));
  EXPECT_THAT(message, HasSubstr((folder / "file").string()));
  EXPECT_EQ(read_file(folder / "file"), "previous");
  EXPECT_EQ(folder.file_count(), 1U);
}

// A pipe stands in for /dev/null, which a failing test run as root would destroy.
TEST(WriteFileAtomically, RefusesWhatIsNoFileInAFolderAndLeavesIt) {
  const ScratchFolder folder;
  write_raw(folder / "file", "kept");
  fs::create_directory(folder / "sub");
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  for (const auto& [name, why] :
       {std::pair{"missing/file", "No such file or directory"}, std::pair{"file/below", "Not a directory"},
        std::pair{"sub", "Is a directory"}, std::pair{"pipe", "not a regular file"}}) {
    const fs::path path = folder / name;
    const std::string message =
        message_of<fs::filesystem_error>([&] { write_file_atomically(path, "text"); });
    EXPECT_THAT(message, HasSubstr(why)) << name;
    EXPECT_THAT(message, HasSubstr(path.string()));
  }
  EXPECT_EQ(read_file(folder / "file"), "kept");
  EXPECT_TRUE(fs::is_empty(folder / "sub"));
  EXPECT_TRUE(fs::is_fifo(folder / "pipe"));
  EXPECT_EQ(folder.file_count(), 3U);
}

TEST(WriteFileAtomically, WritesThroughASymbolicLink) {
  const ScratchFolder folder;
  fs::create_directory(folder / "elsewhere");
  write_raw(folder / "elsewhere/real", "old");
  fs::create_symlink("elsewhere/real", folder / "link");
  write_file_atomically(folder / "link", "new");
  EXPECT_TRUE(fs::is_symlink(folder / "link"));
  EXPECT_EQ(read_file(folder / "elsewhere/real"), "new");
}

struct Forbidden : std::exception {};

// Forbids it when it is called for the last time, and then notes what the folder holds.
struct CountedCheck {
  const ScratchFolder& folder;
  int last;
  int calls = 0;
  std::vector<fs::path> held = {};

  void operator()() {
    if (++calls < last) return;
    for (const auto& entry : fs::directory_iterator(folder.path())) held.push_back(entry.path());
    throw Forbidden();
  }
};

TEST(WriteFileAtomically, ChecksBeforeItWritesAndBeforeItRenames) {
  const ScratchFolder folder;
  write_file_atomically(folder / "file", "previous");
  CountedCheck before{folder, 1};
  EXPECT_THROW(write_file_atomically(folder / "file", "new", std::ref(before)), Forbidden);
  EXPECT_THAT(before.held, ElementsAre(folder / "file"));
  CountedCheck after{folder, 2};
  EXPECT_THROW(write_file_atomically(folder / "file", "new", std::ref(after)), Forbidden);
  std::erase(after.held, folder / "file");
  ASSERT_EQ(after.held.size(), 1U);
  EXPECT_TRUE(is_leftover(after.held.front()));
  EXPECT_FALSE(is_leftover(folder / "file"));
  EXPECT_EQ(read_file(folder / "file"), "previous");
  EXPECT_EQ(folder.file_count(), 1U);
  CountedCheck all{folder, 3};
  write_file_atomically(folder / "file", "new", std::ref(all));
  EXPECT_EQ(all.calls, 2);
  EXPECT_EQ(read_file(folder / "file"), "new");
}

// The check may know why.
TEST(WriteFileAtomically, ChecksAgainIfTheFolderIsMissing) {
  const ScratchFolder folder;
  CountedCheck missing{folder, 2};
  EXPECT_THROW(write_file_atomically(folder / "missing/file", "text", std::ref(missing)), Forbidden);
}

TEST(WriteFileAtomically, ReplacesALinkItselfIfThereIsACheck) {
  const ScratchFolder folder;
  write_raw(folder / "real", "old");
  fs::create_symlink("real", folder / "link");
  write_file_atomically(folder / "link", "new", [] {});
  EXPECT_FALSE(fs::is_symlink(folder / "link"));
  EXPECT_EQ(read_file(folder / "link"), "new");
  EXPECT_EQ(read_file(folder / "real"), "old");
}

TEST(WriteFileAtomically, PassesByTheLeftoverOfAKilledProcess) {
  const ScratchFolder folder;
  const std::string leftover = ".ordinal-" + std::to_string(::getpid()) + "-0.tmp";
  write_raw(folder / leftover, "half a fi");
  write_file_atomically(folder / "file", "whole");
  EXPECT_EQ(read_file(folder / "file"), "whole");
  EXPECT_EQ(read_file(folder / leftover), "half a fi");
}

TEST(WriteFileAtomically, ShowsAReaderOnlyWholeFiles) {
  const ScratchFolder folder;
  const std::string first(5'000, 'a');
  const std::string second(70'000, 'b');
  write_file_atomically(folder / "file", first);
  std::atomic<bool> done = false;
  std::thread writer([&] {
    for (int i = 0; i < 50; ++i) write_file_atomically(folder / "file", i % 2 == 0 ? second : first);
    done = true;
  });
  int torn = 0;
  while (!done) {
    const std::string seen = read_file(folder / "file");
    if (seen != first && seen != second) ++torn;
  }
  writer.join();
  EXPECT_EQ(torn, 0);
  EXPECT_EQ(read_file(folder / "file"), first);
}

TEST(ReadFile, ReturnsEveryByte) {
  const ScratchFolder folder;
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
  write_raw(folder / "file", all);
  EXPECT_EQ(read_file(folder / "file"), all);
}

TEST(ReadFile, SaysInOneLineWhatIsWrong) {
  const ScratchFolder folder;
  write_raw(folder / "file", "text");
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  const auto message = [&](const std::string& name) {
    return message_of<DataError>([&] { read_file(folder / name); });
  };
  EXPECT_EQ(message("missing"), (folder / "missing").string() + ": No such file or directory");
  EXPECT_EQ(message("file/below"), (folder / "file/below").string() + ": Not a directory");
  EXPECT_EQ(message("pipe"),
            (folder / "pipe").string() +
                ": is a pipe or a device, expected a regular file: save its contents in one");
  EXPECT_EQ(message_of<DataError>([&] { read_file(folder.path()); }),
            folder.path().string() + ": is a directory, expected a file");
}

TEST(ReadFile, RefusesMoreThanTheGivenSize) {
  const ScratchFolder folder;
  write_raw(folder / "file", "text");
  EXPECT_EQ(read_file(folder / "file", 4), "text");
  EXPECT_THROW(read_file(folder / "file", 3), DataError);
  std::filesystem::resize_file(folder / "file", 256'100'000);  // sparse
  EXPECT_EQ(message_of<DataError>([&] { read_file(folder / "file", largest_document); }),
            (folder / "file").string() + ": got 256.1 MB, expected at most 256 MB");
}

}  // namespace
}  // namespace ordinal

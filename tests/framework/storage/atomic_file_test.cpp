#include "framework/storage/atomic_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <array>
#include <atomic>
#include <csignal>
#include <thread>

#include "framework/core/errors.h"
#include "tests/framework/storage/scratch_folder.h"

namespace ordinal {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

/// A disk that is full after `bytes`, for this process and this scope, even for root.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : old_action_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &old_limit_);
    const rlimit limit{bytes, old_limit_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &old_limit_);
    std::signal(SIGXFSZ, old_action_);
  }

 private:
  void (*old_action_)(int);
  rlimit old_limit_{};
};

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

TEST(AppendLine, CreatesAndExtends) {
  const ScratchFolder folder;
  append_line(folder / "log", R"({"step":1})");
  append_line(folder / "log", "");
  append_line(folder / "log", "{}");
  EXPECT_EQ(read_file(folder / "log"), "{\"step\":1}\n\n{}\n");
}

TEST(AppendLine, LeavesNoHalfLineWhenTheDiskIsFull) {
  const ScratchFolder folder;
  append_line(folder / "log", "first");
  std::string message;
  {
    const FileSizeLimit limit(100);
    message = message_of<fs::filesystem_error>([&] { append_line(folder / "log", std::string(200, 'x')); });
  }
  EXPECT_THAT(message, HasSubstr("cannot append"));
  EXPECT_EQ(read_file(folder / "log"), "first\n");
}

TEST(AppendLine, RefusesAMissingFolder) {
  const ScratchFolder folder;
  EXPECT_THROW(append_line(folder / "missing/log", "line"), fs::filesystem_error);
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

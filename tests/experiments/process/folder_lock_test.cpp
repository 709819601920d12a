#include "experiments/process/folder_lock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <optional>
#include <thread>

#include "framework/core/errors.h"
#include "framework/storage/atomic_file.h"
#include "tests/framework/storage/file_size_limit.h"
#include "tests/framework/storage/scratch_folder.h"
#include "tests/message_of.h"

namespace ordinal::experiments {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;

TEST(FolderLock, IsHeldByOneAtATimeWhoIsNamed) {
  const ScratchFolder folder;
  std::optional<FolderLock> first(folder / "new/results");
  const std::string refusal = message_of<ConfigError>([&] { FolderLock second(folder / "new/results"); });
  EXPECT_THAT(refusal, AllOf(HasSubstr("new/results: process " + std::to_string(::getpid()) + " on "),
                             HasSubstr(" since 20"), HasSubstr("choose another --out")));
  EXPECT_NO_THROW(FolderLock(folder / "other"));
  first.reset();
  EXPECT_NO_THROW(FolderLock(folder / "new/results"));
}

// The kernel releases it, whatever the process did last.
TEST(FolderLock, EndsWithTheProcessThatHeldIt) {
  const ScratchFolder folder;
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const FolderLock held(folder / "");
    (void)!::write(ready[1], "x", 1);
    ::pause();
    ::_exit(0);
  }
  char sign = 0;
  ASSERT_EQ(::read(ready[0], &sign, 1), 1);
  EXPECT_THAT(message_of<ConfigError>([&] { FolderLock second(folder / ""); }),
              HasSubstr("process " + std::to_string(child)));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_NO_THROW(FolderLock(folder / ""));
  ::close(ready[0]);
  ::close(ready[1]);
}

// But not in a folder that has a lock of its own: claims holds results/claims, and another program may write one of the
// experiments in it. Nor as one that joins others, since they may be writing what looks like a leftover.
TEST(FolderLock, RemovesWhatKilledWritersLeft) {
  const ScratchFolder folder;
  const FolderLock inner(folder / "one");
  const auto left = [&] {
    std::vector<std::string> names;
    for (const std::string name : {"", "cells/a/", "one/"})
      if (std::filesystem::exists(folder / (name + ".ordinal-0123456789abcdef.tmp"))) names.push_back(name);
    return names;
  };
  std::filesystem::create_directories(folder / "cells/a");
  for (const char* name : {"", "cells/a/", "one/"})
    write_raw(folder / (std::string(name) + ".ordinal-0123456789abcdef.tmp"), "half");
  write_raw(folder / "cells/a/result.json", "whole");
  for (const std::string purpose : {"", "a"}) {
    write_raw(folder / ".ordinal-0123456789abcdef.tmp", "half");
    const FolderLock first(folder.path(), "results", purpose);
    EXPECT_EQ(left(), std::vector<std::string>{"one/"});
  }
  const FolderLock first(folder.path(), "results", "a");
  write_raw(folder / ".ordinal-0123456789abcdef.tmp", "half");
  const FolderLock second(folder.path(), "results", "a");
  EXPECT_EQ(left().size(), 2U);
  EXPECT_TRUE(std::filesystem::exists(folder / "cells/a/result.json"));
}

TEST(FolderLock, WritesNothingInAFolderThatWasBegunAgain) {
  const ScratchFolder folder;
  const FolderLock first(folder / "run");
  append_line(first.path() / "log", "first");
  std::filesystem::remove_all(folder / "run");
  const auto messages = [&] {
    return std::vector<std::string>{
        message_of<ConfigError>([&] { write_file_atomically(first.path() / "file", "first"); }),
        message_of<ConfigError>([&] { append_line(first.path() / "log", "first"); })};
  };
  const auto refusal =
      HasSubstr("run: the folder or its .lock was removed while this run wrote its results there;");
  EXPECT_THAT(messages(), Each(refusal));
  const FolderLock second(folder / "run");
  EXPECT_THAT(messages(), Each(refusal));
  for (const char* name : {"run/file", "run/log"}) EXPECT_FALSE(std::filesystem::exists(folder / name));
  write_file_atomically(second.path() / "file", "second");
  EXPECT_EQ(read_file(folder / "run/file"), "second");
}

TEST(FolderLock, IsHeldByOneOrBySeveralForOnePurpose) {
  const ScratchFolder folder;
  std::optional<FolderLock> first(std::in_place, folder.path(), "results", "a");
  std::optional<FolderLock> second(std::in_place, folder.path(), "results", "a");
  const auto alone = [&] { return FolderLock(folder.path()); };
  const auto other = [&] { return FolderLock(folder.path(), "results", "b"); };
  first.reset();
  EXPECT_THAT(message_of<ConfigError>(alone),
              HasSubstr(", or one that joined it, writes its results there; wait for it, or choose another"));
  EXPECT_THAT(message_of<ConfigError>(other),
              HasSubstr(", or one that joined it, writes results of other settings there; "));
  second.reset();
  EXPECT_NO_THROW(other());
  const FolderLock held = alone();
  EXPECT_THAT(message_of<ConfigError>(other), HasSubstr(" writes its results there; "));
}

// Whoever is first says what for; all others see it.
TEST(FolderLock, OfSeveralThatBeginTogetherIsOfOnePurpose) {
  const ScratchFolder folder;
  for (int round = 0; round < 20; ++round) {
    std::array<std::optional<FolderLock>, 8> held;
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < held.size(); ++i) {
      threads.emplace_back([&, i] {
        try {
          held[i].emplace(folder.path(), "results", i % 2 == 0 ? "a" : "b");
        } catch (const ConfigError&) {  // the other purpose
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    std::array<int, 2> holders{};
    for (std::size_t i = 0; i < held.size(); ++i) holders[i % 2] += held[i].has_value();
    EXPECT_EQ(std::ranges::max(holders), 4);
    EXPECT_EQ(std::ranges::min(holders), 0);
  }
}

// Neither a question nor an entrance gets in the way of the other.
TEST(FolderLock, IsAskedForWhileOthersEnter) {
  const ScratchFolder folder;
  const auto often = [](const auto& action) {
    for (int i = 0; i < 2000; ++i) action();
  };
  { const FolderLock first(folder / "", "results", "a"); }
  std::string refusal;
  std::thread asking([&] {
    refusal = message_of<ConfigError>([&] { often([&] { FolderLock::check_free(folder / ""); }); });
  });
  EXPECT_NO_THROW(often([&] { const FolderLock entered(folder / "", "results", "b"); }));
  asking.join();
  EXPECT_EQ(refusal, "");
}

TEST(FolderLock, KeepsANameForOneOfItsHolders) {
  const ScratchFolder folder;
  const FolderLock first(folder.path(), "results", "a");
  const FolderLock second(folder.path(), "results", "a");
  {
    const Descriptor held = first.reserve("cells/rope/seed-1");
    EXPECT_TRUE(held.open());
    EXPECT_FALSE(second.reserve("cells/rope/seed-1").open());
    EXPECT_TRUE(second.reserve("cells/rope/seed-2").open());
  }
  EXPECT_TRUE(second.reserve("cells/rope/seed-1").open());
  std::filesystem::remove(folder / ".lock");
  EXPECT_THROW(second.reserve("cells/rope/seed-1"), ConfigError);
}

TEST(FolderLock, IsARegularFile) {
  const ScratchFolder folder;
  write_raw(folder / "precious", "kept");
  for (const char* kind : {"link", "dangling", "pipe"}) std::filesystem::create_directory(folder / kind);
  std::filesystem::create_symlink(folder / "precious", folder / "link/.lock");
  std::filesystem::create_symlink(folder / "nothing", folder / "dangling/.lock");
  ASSERT_EQ(::mkfifo((folder / "pipe/.lock").c_str(), 0600), 0);
  for (const char* kind : {"link", "dangling"})
    EXPECT_THROW(FolderLock(folder / kind), std::filesystem::filesystem_error) << kind;
  EXPECT_THAT(message_of<ConfigError>([&] { FolderLock lock(folder / "pipe"); }),
              HasSubstr("/.lock: expected a regular file; remove it"));
  EXPECT_EQ(read_file(folder / "precious"), "kept");
  EXPECT_FALSE(std::filesystem::exists(folder / "nothing"));
}

TEST(FolderLock, KeepsResultsInTheirFolder) {
  const ScratchFolder folder;
  std::filesystem::create_directories(folder / "elsewhere/none");
  std::filesystem::create_directory(folder / "run");
  std::filesystem::create_directory_symlink("../elsewhere", folder / "run/cells");
  write_raw(folder / "elsewhere/file", "kept");
  for (const char* name : {"report.html", "log"})
    std::filesystem::create_symlink(folder / "elsewhere/file", folder / "run" / name);
  std::filesystem::create_directory_symlink("run", folder / "link to run");
  const FolderLock lock(folder / "link to run");
  write_file_atomically(lock.path() / "report.html", "new");
  EXPECT_FALSE(std::filesystem::is_symlink(folder / "run/report.html"));
  EXPECT_EQ(read_file(folder / "run/report.html"), "new");
  EXPECT_THROW(append_line(lock.path() / "log", "line"), std::filesystem::filesystem_error);
  EXPECT_THAT(message_of<ConfigError>([&] { write_file_atomically(lock.path() / "cells/none/x", "new"); }),
              HasSubstr("link to run/cells: it is a symbolic link, and results stay in their folder"));
  EXPECT_EQ(read_file(folder / "elsewhere/file"), "kept");
  EXPECT_TRUE(std::filesystem::is_empty(folder / "elsewhere/none"));
}

TEST(AppendLine, LeavesNoHalfLineWhenTheDiskIsFull) {
  const ScratchFolder folder;
  append_line(folder / "log", "first");
  std::string message;
  {
    const FileSizeLimit limit(100);
    message = message_of<std::filesystem::filesystem_error>(
        [&] { append_line(folder / "log", std::string(200, 'x')); });
  }
  EXPECT_THAT(message, HasSubstr("cannot append"));
  EXPECT_EQ(read_file(folder / "log"), "first\n");
}

TEST(AppendLine, RefusesAMissingFolder) {
  const ScratchFolder folder;
  EXPECT_THROW(append_line(folder / "missing/log", "line"), std::filesystem::filesystem_error);
}

}  // namespace
}  // namespace ordinal::experiments

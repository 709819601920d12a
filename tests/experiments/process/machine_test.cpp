#include "experiments/process/machine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "framework/core/errors.h"
#include "tests/framework/storage/scratch_folder.h"
#include "tests/message_of.h"

namespace ordinal::experiments {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// What `ask` says of a root with the control groups of the process and limits of some of them.
auto with_groups(const std::string& groups, const std::vector<std::pair<std::string, std::string>>& limits,
                 const auto& ask) {
  const ScratchFolder root;
  std::filesystem::create_directories(root / "proc/self");
  write_raw(root / "proc/self/cgroup", groups);
  for (const auto& [file, value] : limits) {
    const auto path = root / ("sys/fs/cgroup/" + file);
    std::filesystem::create_directories(path.parent_path());
    write_raw(path, value + "\n");
  }
  return ask(root.path());
}

MemoryLimit limit_with(const std::string& groups,
                       const std::vector<std::pair<std::string, std::string>>& limits) {
  return with_groups(groups, limits, memory_limit);
}

TEST(Processors, AreNotMoreThanTheControlGroupsAllow) {
  const auto processors = [](const std::vector<std::pair<std::string, std::string>>& limits) {
    return with_groups("0::/user/job\n", limits,
                       [](const auto& root) { return processors_to_use(64, root); });
  };
  EXPECT_EQ(processors({}), 64);
  EXPECT_EQ(processors({{"user/job/cpu.max", "max 100000"}}), 64);
  EXPECT_EQ(processors({{"user/job/cpu.max", "200000 100000"}}), 2);
  EXPECT_EQ(processors({{"user/job/cpu.max", "max 100000"}, {"user/cpu.max", "150000 100000"}}), 2);
  EXPECT_EQ(processors({{"cpu.max", "1000 100000"}}), 1);
  EXPECT_EQ(processors({{"cpu.max", "9900000 100000"}}), 64);
}

TEST(MemoryLimit, IsTheLowestOfTheMachineAndTheControlGroupsAbove) {
  EXPECT_THAT(limit_with("", {}).source, StartsWith("the memory of the machine of "));
  EXPECT_GT(limit_with("", {}).bytes, 1e6);
  EXPECT_THAT(limit_with("0::/\n", {{"memory.max", "max"}}).source,
              StartsWith("the memory of the machine of "));
  const MemoryLimit v2 = limit_with("0::/user/job\n", {{"user/job/memory.max", "max"},
                                                       {"user/memory.max", "1900000000"},
                                                       {"user/other/memory.max", "1000"},
                                                       {"memory.max", "1950000000"}});
  EXPECT_THAT(v2.source, StartsWith("the limit of the control group of 1.9 GB leaves, beside the "));
  EXPECT_LT(v2.bytes, 1.9e9) << "the program itself takes some";
  EXPECT_GT(v2.bytes, 2e8) << "more than 0.5 GB, of a whole suite with sanitizers";
  const std::string v1 = "12:cpu,cpuacct:/other\n5:memory:/user/job\n";
  EXPECT_THAT(limit_with(v1, {{"memory/user/job/memory.limit_in_bytes", "910000000"}}).source,
              HasSubstr(" 910 MB"));
  EXPECT_THAT(limit_with(v1, {{"memory/memory.limit_in_bytes", "920000000"}}).source, HasSubstr(" 920 MB"))
      << "in a container";
}

TEST(MemoryLimit, RefusesWhatExceedsIt) {
  const MemoryLimit limit{3e9, "the machine has"};
  EXPECT_NO_THROW(check_memory(3e9, limit));
  EXPECT_THAT(
      message_of<ConfigError>([&] { check_memory(3.1e9, limit); }),
      HasSubstr("out of memory: this run needs about 3.1 GB, the machine has 3.0 GB; use a smaller "));
}

TEST(MemoryLimit, LowersTheNumberOfTrainingsAtOnce) {
  const MemoryLimit limit{8e9, ""};
  const auto each = [](double bytes) { return [bytes](int jobs) { return jobs * bytes; }; };
  EXPECT_EQ(jobs_that_fit(each(1e9), 16, 0, limit), 4) << "half of the memory, if nobody asks for more";
  EXPECT_EQ(jobs_that_fit(each(1e9), 3, 0, limit), 3);
  EXPECT_EQ(jobs_that_fit(each(1e9), 16, 6, limit), 6);
  EXPECT_EQ(jobs_that_fit(each(1e9), 16, 20, limit), 8);
  EXPECT_EQ(jobs_that_fit(each(1e9), 2, 16, limit), 2);
  EXPECT_EQ(jobs_that_fit(each(1e9), 0, 0, limit), 1);
  EXPECT_EQ(jobs_that_fit(each(9e9), 16, 20, limit), 1);
}

}  // namespace
}  // namespace ordinal::experiments

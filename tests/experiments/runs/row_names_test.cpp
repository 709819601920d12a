// A name is as short as the settings allow, and means the same.
#include "experiments/runs/row_names.h"

#include <gtest/gtest.h>

#include "experiments/runs/configure.h"

namespace ordinal::experiments {
namespace {

Settings settings_of(const Metadata& given) {
  Settings settings;
  for (const auto& [key, value] : given) settings.set(key, value, "test");
  return settings;
}

std::string entry_of(const Metadata& given) {
  const Settings settings = settings_of(given);
  return entry_text(settings, *make_task(task_part(settings)));
}

// The same for settings that hold every option, as a checkpoint does.
std::string entry_of_all(const Metadata& given) {
  const Settings settings = settings_of(given);
  const auto task = make_task(task_part(settings));
  return entry_text(Settings::from_map(described(settings, *task, Binds::test), "checkpoint"), *task);
}

TEST(RowNames, AreEntriesThatSayWhatIsNotADefault) {
  for (const auto& [entry, name] : {std::pair<std::string, std::string>{"rope", "rope"},
                                    {"rope(base=10000)", "rope"},
                                    {"rope(base=5e2)", "rope(base=500)"},
                                    {"learned", "learned"},
                                    {"learned(max_seq_len=64)", "learned"},
                                    {"learned(max_seq_len=65)", "learned(max_seq_len=65)"},
                                    {"sinusoidal+t5", "sinusoidal+t5"},
                                    {"rope@yarn", "rope@yarn"},
                                    {"rope@contiguous:yarn", "rope@contiguous:yarn"},
                                    {"rope@contiguous:contiguous", "rope"},
                                    {"learned@randomized", "learned@randomized"}}) {
    EXPECT_EQ(entry_of({{"positional.encoding", entry}}), name);
    EXPECT_EQ(entry_of_all({{"positional.encoding", entry}}), name);
  }
}

TEST(RowNames, HoldWhatIsSetByAKey) {
  const Metadata given = {{"positional.encoding", "rope"},
                          {"positional.base", "500"},
                          {"positional.positions", "contiguous"},
                          {"positional.test_positions", "interpolated"}};
  EXPECT_EQ(entry_of(given), "rope(base=500)@contiguous:interpolated");
  EXPECT_EQ(entry_of_all(given), "rope(base=500)@contiguous:interpolated");
}

}  // namespace
}  // namespace ordinal::experiments

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "experiments/tasks/task.h"
#include "framework/core/errors.h"
#include "tests/message_of.h"

namespace ordinal::experiments {
namespace {

using ::testing::HasSubstr;

// Windows of the text, and byte 255 where something is masked.
TEST(MaskedText, MasksBytesOfTheWindowsOfText) {
  const std::string path = ::testing::TempDir() + "mlm.txt";
  std::ofstream(path) << std::string(500, 'a') + std::string(500, 'b');
  const Part masked{"mlm", {{"of", "text"}, {"file", path}, {"masking", "all"}}};
  const auto task = make_task(masked);
  EXPECT_EQ(task->evaluation_examples(30),
            make_task(Part{"text", {{"file", path}}})->evaluation_examples(30));
  const Batch batch = make_batch(*task, Split::validation, 1, 0, 3, 30);
  Index asked = 0;
  for (std::size_t i = 0; i < batch.tokens.size(); ++i) {
    if (batch.targets[i] == ignore_index) {
      EXPECT_EQ(batch.tokens[i], 'b');
      continue;
    }
    ++asked;
    EXPECT_EQ(batch.tokens[i], 255);
    EXPECT_EQ(batch.targets[i], 'b');
  }
  EXPECT_EQ(asked, 3 * 5);  // 15 % of 30, rounded up from 4.5
  EXPECT_THROW(task->check_length(100), DataError);
  EXPECT_THROW(make_task("mlm(of=text)"), DataError) << "no file";
  EXPECT_TRUE(lacks_file({"mlm", {{"of", "text"}}}));
  EXPECT_FALSE(lacks_file(masked));
  EXPECT_FALSE(lacks_file({"mlm"}));
  EXPECT_THROW(make_task(Part{"mlm", {{"file", path}}}), ConfigError) << "which the language does not read";
}

TEST(MaskedText, RefusesBytesThatStandForTheMask) {
  const std::string path = ::testing::TempDir() + "mlm_latin.txt";
  std::ofstream(path) << std::string(999, 'a') + "\xff";
  const auto task = make_task(Part{"mlm", {{"of", "text"}, {"file", path}}});
  EXPECT_THAT(message_of<DataError>([&] { make_batch(*task, Split::validation, 1, 0, 60, 90); }),
              HasSubstr("mlm_latin.txt holds the byte 255"));
}

}  // namespace
}  // namespace ordinal::experiments

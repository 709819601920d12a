#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "experiments/tasks/task.h"
#include "framework/core/errors.h"

namespace ordinal::experiments {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

struct Counts {
  int chosen = 0;
  int masked = 0;
  int kept = 0;
  int unchosen_changes = 0;
};

// Compared with the document that was masked.
Counts counts_of(const std::string& name, Index length, Index examples) {
  const auto task = make_task(name);
  const Batch masked = make_batch(*task, Split::training, 1, 2, examples, length);
  const Batch document = make_batch(*make_task("language"), Split::training, 1, 2, examples, length);
  Counts counts;
  for (std::size_t i = 0; i < masked.tokens.size(); ++i) {
    const bool same = masked.tokens[i] == document.tokens[i];
    if (masked.targets[i] == ignore_index) {
      counts.unchosen_changes += same ? 0 : 1;
      continue;
    }
    EXPECT_EQ(masked.targets[i], document.tokens[i]);
    ++counts.chosen;
    counts.masked += masked.tokens[i] == task->alphabet().token('_') ? 1 : 0;
    counts.kept += same ? 1 : 0;
  }
  return counts;
}

TEST(MaskedLanguage, MasksFifteenPercentAndEightyTenTenOfThem) {
  const Counts counts = counts_of("mlm", 100, 200);
  EXPECT_EQ(counts.chosen, 200 * 15);
  EXPECT_EQ(counts.unchosen_changes, 0);
  EXPECT_NEAR(counts.masked / 3000.0, 0.8, 0.03);
  EXPECT_NEAR(counts.kept / 3000.0, 0.1 + 0.1 / 30, 0.02);  // a random symbol may be the same
}

TEST(MaskedLanguage, MasksAllThatItAsksIfToldSo) {
  const Counts counts = counts_of("mlm(masking=all, rate=0.5)", 40, 20);
  EXPECT_EQ(counts.chosen, 20 * 20);
  EXPECT_EQ(counts.masked, counts.chosen);
  EXPECT_EQ(counts.unchosen_changes, 0);
}

TEST(MaskedLanguage, AsksForAtLeastOneSymbol) {
  for (const Index length : {1, 2, 3}) EXPECT_EQ(counts_of("mlm", length, 10).chosen, 10);
}

TEST(MaskedLanguage, RefusesSharesThatThereAreNot) {
  for (const std::string wrong : {"0", "1.5", "x"}) {
    EXPECT_THROW(make_task("mlm(rate=" + wrong + ")"), ConfigError) << wrong;
  }
  EXPECT_NE(make_task("mlm(rate=0.3)")->data_hash(), make_task("mlm")->data_hash());
}

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
  EXPECT_THAT([&] { make_batch(*task, Split::validation, 1, 0, 60, 90); },
              ThrowsMessage<DataError>(HasSubstr("mlm_latin.txt holds the byte 255")));
}

}  // namespace
}  // namespace ordinal::experiments

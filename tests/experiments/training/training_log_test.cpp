#include "experiments/training/training_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "framework/core/errors.h"
#include "framework/storage/atomic_file.h"
#include "tests/framework/storage/scratch_folder.h"
#include "tests/message_of.h"

namespace ordinal::experiments {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

constexpr double bit = 0.6931471805599453;  // in nats

StepResult taken(double bits) { return {.loss = bits * bit, .targets = 1}; }
StepResult skipped() { return {.taken = false}; }

class Log : public ::testing::Test {
 protected:
  // A new log of the file.
  TrainingLog log() const { return TrainingLog(folder_ / "log"); }

  ScratchFolder folder_;
};

TEST_F(Log, IsReadUpToTheStepOfTheCheckpointAndWrittenOnlyWhenItBegins) {
  TrainingLog first = log();
  first.append(1, taken(4.0), 0.5);
  first.append(7, taken(2.0), 1.5);
  const std::string saved = first.hash();
  first.append(11, taken(1.0), 2.5);
  const std::string whole = read_file(folder_ / "log");
  TrainingLog second = log();
  second.restore(folder_ / "log", 10, saved);
  EXPECT_THAT(second.curve(10), ElementsAre(Pair(1, 4.0), Pair(7, 2.0)));
  EXPECT_THAT(second.curve(6), ElementsAre(Pair(1, 4.0)));
  EXPECT_EQ(second.seconds(), 1.5);
  EXPECT_EQ(second.hash(), saved);
  EXPECT_EQ(read_file(folder_ / "log"), whole);
  second.begin();
  EXPECT_EQ(read_file(folder_ / "log"), whole.substr(0, whole.rfind('{')));
}

TEST_F(Log, OfOtherLinesIsRefused) {
  TrainingLog first = log();
  first.append(1, taken(4.0), 0.5);
  const std::string saved = first.hash();
  first.append(2, taken(3.0), 1.5);
  EXPECT_THAT(message_of<DataError>([&] { log().restore(folder_ / "log", 3, saved); }),
              HasSubstr("are not those that its training wrote"));
  EXPECT_NO_THROW(log().restore(folder_ / "log", 3, ""));
}

TEST_F(Log, OfALongerTrainingGoesOnWithTheLinesOfAShorterOne) {
  TrainingLog shorter = log();
  shorter.append(7, taken(4.0), 0.5);
  const std::string saved = shorter.hash();
  shorter.append(10, taken(3.0), 1.5);
  const std::string whole = read_file(folder_ / "log");
  TrainingLog longer(folder_ / "longer");
  longer.restore(folder_ / "log", 10, shorter.hash());
  longer.forget(10);
  EXPECT_EQ(longer.hash(), saved);
  longer.begin();
  EXPECT_EQ(read_file(folder_ / "longer"), whole.substr(0, whole.rfind('{')));
  EXPECT_EQ(read_file(folder_ / "log"), whole);
}

TEST_F(Log, CountsTheStepsInARowThatWereNotTaken) {
  TrainingLog first = log();
  first.append(3, skipped(), 0.1);
  first.append(5, skipped(), 0.2);
  first.append(6, skipped(), 0.3);
  TrainingLog second = log();
  second.restore(folder_ / "log", 6, first.hash());
  for (const TrainingLog* one : {&first, &second}) {
    EXPECT_EQ(one->skipped(6), 2);
    EXPECT_EQ(one->skipped(7), 0) << "which was taken";
    EXPECT_TRUE(one->curve(6).empty());
  }
}

TEST_F(Log, HasNoLossOfAStepWithoutATarget) {
  TrainingLog first = log();
  first.append(1, taken(4.0), 0.1);
  first.append(2, {.loss = 0.0, .targets = 0}, 0.2);
  TrainingLog second = log();
  second.restore(folder_ / "log", 2, first.hash());
  for (const TrainingLog* one : {&first, &second}) {
    EXPECT_THAT(one->curve(2), ElementsAre(Pair(1, 4.0)));
    EXPECT_EQ(one->skipped(2), 0) << "it was taken";
  }
}

TEST_F(Log, SkipsLinesThatWereCutOffOrEdited) {
  TrainingLog first = log();
  first.append(1, taken(4.0), 0.5);
  const std::string line = read_file(folder_ / "log");
  const std::string fields = line.substr(line.find(','));
  for (const std::string& other :
       {line.substr(0, 20) + "\n", "{\"step\":1e300" + fields, "{\"step\":-1" + fields,
        "{\"step\":null" + fields, std::string("[1]\n{}\n\n"), std::string(1000, '[') + "\n"})
    append_line(folder_ / "log", other);
  TrainingLog second = log();
  second.restore(folder_ / "log", 10, first.hash());
  EXPECT_THAT(second.curve(10), ElementsAre(Pair(1, 4.0)));
}

}  // namespace
}  // namespace ordinal::experiments

#include "experiments/settings/difference.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "experiments/settings/parts.h"
#include "tests/experiments/with.h"

namespace ordinal::experiments {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

Metadata metadata_of(const Settings& settings) { return plan_of(settings).metadata(3); }

std::optional<Difference> difference(const Metadata& there, const Settings& here, Binds last,
                                     bool may_be_longer = false) {
  return first_difference(there, "checkpoint", plan_of(here), metadata_of(here), last, may_be_longer);
}

// "key: there / here"; empty if there is none.
std::string said(const std::optional<Difference>& found) {
  return found ? found->key + ": " + found->there + " / " + found->here : "";
}

TEST(FirstDifference, NamesTheKeyAndBothValues) {
  struct Case {
    Values there;
    Values here;
    Binds last;
    std::string expected;
  };
  for (const auto& [there, here, last, expected] :
       {Case{{{"train.batch", "8"}}, {{"train.batch", "16"}}, Binds::training, "train.batch: 8 / 16"},
        // Of parts, the first option that differs, or the names.
        Case{{{"model.encoding", "t5"}},
             {{"model.encoding", "t5(buckets=8)"}},
             Binds::training,
             "model.encoding: t5(buckets=32) / t5(buckets=8)"},
        Case{{{"model.encoding", "t5"}},
             {{"model.encoding", "rope+alibi"}},
             Binds::training,
             "model.encoding: t5@contiguous / rope+alibi@contiguous"},
        Case{{{"model.encoding", "rope"}}, {{"model.encoding", "rope@contiguous:yarn"}}, Binds::training, ""},
        Case{{{"model.encoding", "rope"}},
             {{"model.encoding", "rope@contiguous:yarn"}},
             Binds::test,
             "model.encoding: rope@contiguous / rope@contiguous:yarn"}})
    EXPECT_EQ(said(difference(metadata_of(with(there)), with(here), last)), expected);
}

TEST(FirstDifference, OfAnotherVersionIsTheVersion) {
  Metadata there = metadata_of(Settings());
  const std::string here = there.at("version");
  there["version"] = "0.9";
  there["train.batch"] = "7";
  EXPECT_EQ(said(difference(there, Settings(), Binds::training)), "version: 0.9 / " + here);
  there.erase("version");
  there["positional.encoding"] = "rope";  // which is no key
  EXPECT_EQ(said(difference(there, Settings(), Binds::training)), "version: 0.1 / " + here)
      << "which did not say it";
}

TEST(FirstDifference, AFileThatMovedDoesNotMatterButAnotherTextDoes) {
  const auto text = [&](const std::string& name, char letter) {
    const auto path = ::testing::TempDir() + "difference_test_" + name;
    std::ofstream(path) << std::string(9000, letter);
    return with({{"task.name", "text"}, {"task.file", path}});
  };
  const Metadata there = metadata_of(text("here.txt", 'x'));
  EXPECT_EQ(said(difference(there, text("there.txt", 'x'), Binds::test)), "");
  EXPECT_THAT(said(difference(there, text("other.txt", 'y'), Binds::test)), StartsWith("data_hash: "));
}

TEST(FirstDifference, OfTheSeedTheInitialModelOrTheLoggedStepsCounts) {
  for (const auto& [key, value, here] : std::vector<std::array<std::string, 3>>{
           {"train.seed", "4", "3"}, {"initial_model", "abc", "nothing"}, {"train.log_every", "7", "50"}}) {
    Metadata there = metadata_of(Settings());
    there[key] = value;
    EXPECT_EQ(said(difference(there, Settings(), Binds::training)), key + ": " + value + " / " + here);
  }
}

// A cosine depends on its last step: a longer run would have had other learning rates from the start. So do lengths that
// grow with the steps.
TEST(FirstDifference, ALongerRunIsTheSameIfNothingInItKnowsTheEnd) {
  for (const auto& [schedule, lengths, same] :
       {std::tuple("constant", "auto", true), std::tuple("inverse_sqrt", "auto", true),
        std::tuple("cosine", "auto", false), std::tuple("linear", "auto", false),
        std::tuple("constant", "uniform", true), std::tuple("constant", "mixed", true),
        std::tuple("constant", "growing", false)}) {
    Settings longer = with({{"train.schedule", schedule}, {"task.lengths", lengths}, {"train.steps", "500"}});
    const Metadata shorter = metadata_of(longer);
    longer.set("train.steps", "900", "test");
    const std::string steps = "train.steps: 500 / 900";
    EXPECT_EQ(said(difference(shorter, longer, Binds::training, true)), same ? "" : steps) << schedule;
    const auto second = difference(shorter, longer, Binds::training);
    EXPECT_EQ(said(second), steps) << schedule;
    EXPECT_EQ(second->bound, "its second stage");
    const auto first = difference(shorter, longer, Binds::training, true);
    const std::string setting = std::string(schedule) == "constant" ? "task.lengths = " : "train.schedule = ";
    if (first) {
      EXPECT_THAT(first->bound,
                  StartsWith(setting + (std::string(schedule) == "constant" ? lengths : schedule)));
    }
  }
}

TEST(FirstDifference, ALongerRunIsAnotherIfItsWarmUpWasCutToTheSteps) {
  const Settings longer = with({{"train.schedule", "constant"}, {"train.steps", "500"}});
  Settings cut = longer;
  for (const char* key : {"train.steps", "train.warmup"}) cut.set(key, "50", "test");
  const auto found = difference(metadata_of(cut), longer, Binds::training, true);
  EXPECT_EQ(said(found), "train.steps: 50 / 500");
  EXPECT_EQ(found->bound, "train.warmup = 50, cut to the steps,");
  Settings same = longer;
  same.set("train.warmup", "50", "test");
  EXPECT_EQ(said(difference(metadata_of(cut), same, Binds::training, true)), "");
}

TEST(FirstDifference, IsExplainedWithAWayOut) {
  EXPECT_EQ(explained({"train.seed", "1", "2"}),
            "train.seed = 1, this run has 2; choose another --out, or remove it");
  EXPECT_EQ(
      explained({"train.steps", "5", "9", "its second stage"}),
      "train.steps = 5, this run has 9; its second stage depends on the last step; choose another --out, "
      "or train its checkpoint further with train --model");
}

}  // namespace
}  // namespace ordinal::experiments

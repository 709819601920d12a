#include "experiments/settings/difference.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "experiments/settings/parts.h"
#include "framework/core/errors.h"
#include "tests/experiments/with.h"

namespace ordinal::experiments {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

Metadata metadata_of(const Settings& settings) { return plan_of(settings).metadata(3); }

std::optional<Difference> difference(const Metadata& there, const Settings& here, Binds last,
                                     bool may_be_longer = false) {
  return first_difference(there, "checkpoint", plan_of(here), metadata_of(here), last, may_be_longer);
}

TEST(FirstDifference, OfEqualSettingsIsNone) {
  const Settings settings = with({{"model.encoding", "rope(base=500)"}});
  EXPECT_EQ(difference(metadata_of(settings), settings, Binds::test), std::nullopt);
  const Settings in_other_words =
      with({{"model.encoding", "rope(pairing=interleaved, base=5e2)@contiguous"}});
  EXPECT_EQ(difference(metadata_of(settings), in_other_words, Binds::test), std::nullopt);
}

TEST(FirstDifference, NamesTheKeyAndBothValues) {
  const auto found =
      difference(metadata_of(with({{"train.batch", "8"}})), with({{"train.batch", "16"}}), Binds::training);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->key, "train.batch");
  EXPECT_EQ(found->there, "8");
  EXPECT_EQ(found->here, "16");
}

TEST(FirstDifference, OfPartsShowsTheFirstOptionThatDiffersOrTheNames) {
  const auto found = difference(metadata_of(with({{"model.encoding", "t5"}})),
                                with({{"model.encoding", "t5(buckets=8)"}}), Binds::training);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->key, "model.encoding");
  EXPECT_EQ(found->there, "t5(buckets=32)");
  EXPECT_EQ(found->here, "t5(buckets=8)");
  const auto names = difference(metadata_of(with({{"model.encoding", "t5"}})),
                                with({{"model.encoding", "rope+alibi"}}), Binds::training);
  ASSERT_TRUE(names);
  EXPECT_EQ(names->there, "t5@contiguous");
  EXPECT_EQ(names->here, "rope+alibi@contiguous");
}

TEST(FirstDifference, OfAnotherVersionIsTheVersion) {
  const Settings settings;
  Metadata there = metadata_of(settings);
  const std::string here = there.at("version");
  there["version"] = "0.9";
  there["train.batch"] = "7";
  EXPECT_EQ(difference(there, settings, Binds::training).value().key, "version");
  there.erase("version");
  there["positional.encoding"] = "rope";  // which is no key
  const auto found = difference(there, settings, Binds::training);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->there, "0.1") << "which did not say it";
  EXPECT_EQ(found->here, here);
}

TEST(FirstDifference, MetadataWithUnknownKeysIsRefused) {
  Metadata there = metadata_of(with({{"model.encoding", "rope"}}));
  there["positional.base"] = "500";
  EXPECT_THAT(
      [&] { difference(there, Settings(), Binds::test); },
      ThrowsMessage<ConfigError>(HasSubstr("checkpoint: unknown key positional.base: it is an option")));
}

TEST(FirstDifference, AFileThatMovedDoesNotMatterButAnotherTextDoes) {
  const auto folder = std::filesystem::path(::testing::TempDir());
  const auto text = [&](const std::string& name, const std::string& contents) {
    const auto path = (folder / ("configure_test_" + name)).string();
    std::ofstream(path) << contents;
    return with({{"task.name", "text"}, {"task.file", path}});
  };
  const Settings settings = text("here.txt", std::string(9000, 'x'));
  EXPECT_EQ(difference(metadata_of(settings), text("there.txt", std::string(9000, 'x')), Binds::test),
            std::nullopt);
  const auto found =
      difference(metadata_of(settings), text("other.txt", std::string(9000, 'y')), Binds::test);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->key, "data_hash");
}

TEST(FirstDifference, OfTheSeedOrTheInitialModelCounts) {
  const Plan plan = plan_of(Settings());
  const Metadata here = plan.metadata(3);
  Metadata there = plan.metadata(4);
  EXPECT_EQ(first_difference(there, "c", plan, here, Binds::training).value().key, "train.seed");
  there = here;
  there["initial_model"] = "abc";
  const auto found = first_difference(there, "c", plan, here, Binds::training);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->key, "initial_model");
  EXPECT_EQ(found->here, "nothing");
}

TEST(FirstDifference, OfTheLoggedStepsCounts) {
  const Plan plan = plan_of(Settings());
  const Metadata here = plan.metadata(3);
  Metadata there = here;
  there["train.log_every"] = "7";
  EXPECT_EQ(first_difference(there, "c", plan, here, Binds::training).value().key, "train.log_every");
}

// A cosine depends on its last step: a longer run would have had other learning rates from the start.
TEST(FirstDifference, ALongerRunIsTheSameIfItsLearningRateDoesNotKnowTheEnd) {
  for (const char* schedule : {"constant", "inverse_sqrt", "cosine", "linear"}) {
    const Settings shorter = with({{"train.schedule", schedule}, {"train.steps", "500"}});
    const Settings longer = with({{"train.schedule", schedule}, {"train.steps", "900"}});
    const bool same = std::string(schedule) == "constant" || std::string(schedule) == "inverse_sqrt";
    EXPECT_EQ(!difference(metadata_of(shorter), longer, Binds::training, true), same) << schedule;
    EXPECT_EQ(difference(metadata_of(shorter), longer, Binds::training).value().key, "train.steps")
        << schedule;
  }
}

// Nobody gave the 50, so they are no difference to be told.
TEST(FirstDifference, ALongerRunIsAnotherIfItsWarmUpWasCutToTheSteps) {
  const Settings longer = with({{"train.schedule", "constant"}, {"train.steps", "500"}});
  Settings cut = longer;
  for (const char* key : {"train.steps", "train.warmup"}) cut.set(key, "50", "test");
  const auto found = difference(metadata_of(cut), longer, Binds::training, true);
  EXPECT_EQ(found.value().key, "train.steps");
  EXPECT_THAT(
      way_out(*found),
      HasSubstr("its warm-up, its learning rate, its lengths or its second stage depend on the last step"));
  Settings same = longer;
  same.set("train.warmup", "50", "test");
  EXPECT_FALSE(difference(metadata_of(cut), same, Binds::training, true));
  Settings given = cut;
  given.set("train.warmup", "20", "test");
  EXPECT_EQ(difference(metadata_of(given), longer, Binds::training, true).value().key, "train.warmup");
}

TEST(FirstDifference, ALongerRunIsAnotherIfItsLengthsGrowWithTheSteps) {
  for (const char* lengths : {"uniform", "mixed", "growing"}) {
    Settings shorter =
        with({{"train.schedule", "constant"}, {"task.lengths", lengths}, {"train.steps", "500"}});
    Settings longer = shorter;
    longer.set("train.steps", "900", "test");
    EXPECT_EQ(!difference(metadata_of(shorter), longer, Binds::training, true),
              std::string(lengths) != "growing")
        << lengths;
  }
}

TEST(FirstDifference, OfWhatOnlyTheTestDependsOnIsNoneForATraining) {
  const Settings trained = with({{"model.encoding", "rope"}});
  const Settings other = with({{"model.encoding", "rope@contiguous:yarn"}});
  EXPECT_EQ(difference(metadata_of(trained), other, Binds::training), std::nullopt);
  const auto found = difference(metadata_of(trained), other, Binds::test);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->there, "rope@contiguous");
  EXPECT_EQ(found->here, "rope@contiguous:yarn");
}

TEST(FirstDifference, MetadataThatMakesNoSettingsIsRefused) {
  Metadata there = metadata_of(Settings());
  there["model.heads"] = "-2";
  EXPECT_THAT([&] { difference(there, Settings(), Binds::training); },
              ThrowsMessage<ConfigError>(HasSubstr("checkpoint: model.heads: got -2")));
}

}  // namespace
}  // namespace ordinal::experiments

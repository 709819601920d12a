// A training is called as all that its weights depend on.
#include "experiments/experiment/cell.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/experiments/with.h"
#include "tests/framework/storage/scratch_folder.h"

namespace ordinal::experiments {
namespace {

using ::testing::EndsWith;

// The folder of the last training of a cell.
std::string name_of(const Settings& settings, std::uint64_t seed = 1, const std::string& initial = "",
                    const std::string& label = "row") {
  Entrants makers;
  const Entrant entrant = makers.make({label, label, {}, settings});
  std::vector<Cell> cells;
  cells.push_back({.entrant = entrant, .evaluation = settings, .seed = seed, .initial = initial});
  place_trainings(cells, LockedPath("out"));
  EXPECT_EQ(cells.front().checkpoint, cells.front().trainings.back().folder / "checkpoint.safetensors");
  return cells.front().trainings.back().folder.filename();
}

std::string hash_in(const std::string& name) { return name.substr(0, name.find('-')); }

const Values stages = {{"finetune.steps", "7"}, {"train.steps", "20"}};

TEST(PlaceTrainings, NamesDependOnAllThatTheWeightsDependOn) {
  const ScratchFolder folder;
  write_raw(folder / "a", "weights");
  write_raw(folder / "b", "others");
  std::vector<std::string> names = {
      name_of(Settings()),
      name_of(Settings(), 2),
      name_of(Settings(), 1, folder / "a"),
      name_of(Settings(), 1, folder / "b"),
      name_of(with(stages)),
  };
  for (const Values& other : {Values{{"train.batch", "7"}}, Values{{"model.encoding", "rope(base=500)"}},
                              Values{{"task.name", "copy"}}, Values{{"train.log_every", "7"}},
                              Values{{"model.encoding", "sinusoidal@randomized"}},
                              Values{{"finetune.steps", "7"}, {"train.steps", "21"}},
                              Values{{"finetune.steps", "7"}, {"train.steps", "20"}, {"train.clip", "3"}}})
    names.push_back(name_of(with(other)));
  EXPECT_THAT(names, ::testing::Each(::testing::Truly([&](const std::string& name) {
                return std::ranges::count(names, hash_in(name), hash_in) == 1;
              })));
}

TEST(PlaceTrainings, NamesDependOnNothingElse) {
  const std::string name = name_of(Settings());
  EXPECT_EQ(name_of(Settings(), 1, "", "other"), name);
  for (const auto& [key, value] : Values{{"evaluate.lengths", "1x"},
                                         {"model.encoding", "sinusoidal@contiguous:interpolated"},
                                         {"train.checkpoint_every", "7"},
                                         {"evaluate.batches", "3"}})
    EXPECT_EQ(name_of(with({{key, value}})), name) << key;
}

TEST(PlaceTrainings, TheNumberOfStepsStandsBehindTheHash) {
  const auto of_steps = [](const std::string& steps) {
    return name_of(with({{"train.schedule", "constant"}, {"train.steps", steps}}));
  };
  EXPECT_THAT(of_steps("200"), EndsWith("-200"));
  EXPECT_EQ(hash_in(of_steps("200")), hash_in(of_steps("300")));
  EXPECT_NE(hash_in(of_steps("20")), hash_in(of_steps("30"))) << "the warm-up is cut to the steps";
  const auto tuned = [](const std::string& steps) { return name_of(with({{"finetune.steps", steps}})); };
  EXPECT_EQ(hash_in(tuned("200")), hash_in(tuned("300")));
}

TEST(Training, ContinuesTheLongestBeginningOfIt) {
  const ScratchFolder folder;
  const auto begun = [&](const std::string& schedule, const std::string& lengths, const std::string& steps) {
    const Plan plan =
        plan_of(with({{"train.schedule", schedule}, {"task.lengths", lengths}, {"train.steps", steps}}));
    const Training training{LockedPath(folder / ("abc-" + steps)), &plan};
    return training.begun().filename().string();
  };
  EXPECT_EQ(begun("constant", "auto", "500"), "");
  for (const char* other : {"abc-200", "abc-300", "abc-800", "abd-400", "abc-x", "abc-450"}) {
    std::filesystem::create_directory(folder / other);
    if (std::string(other) != "abc-450") write_raw(folder / other / "checkpoint.safetensors", "");
  }
  EXPECT_EQ(begun("constant", "auto", "500"), "abc-300");
  EXPECT_EQ(begun("constant", "auto", "300"), "abc-300");
  EXPECT_EQ(begun("constant", "auto", "100"), "");
  for (const char* known : {"uniform", "mixed"}) EXPECT_EQ(begun("constant", known, "500"), "abc-300");
  EXPECT_EQ(begun("inverse_sqrt", "auto", "500"), "abc-300");
  for (const char* schedule : {"cosine", "linear"})
    EXPECT_EQ(begun(schedule, "auto", "500"), "") << "its rate depends on the last step";
  EXPECT_EQ(begun("constant", "growing", "500"), "") << "its lengths depend on the last step";
}

}  // namespace
}  // namespace ordinal::experiments

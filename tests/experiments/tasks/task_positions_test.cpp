// Positions that a task gives its tokens: position coupling and Abacus.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "experiments/settings/plan.h"
#include "experiments/tasks/task.h"
#include "framework/core/errors.h"
#include "tests/experiments/with.h"
#include "tests/message_of.h"

namespace ordinal::experiments {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<double> positions_of(const std::string& task, const std::string& text, const std::string& ids) {
  const auto built = make_task(task);
  return built->positions(built->alphabet().encode(text), ids);
}

// Cho et al. 2024, §3.2, number 653 + 049 = 702 from 6 on: 6 7 8 9 6 7 8 9 8 7 6 5; here from 2 on.
TEST(Coupled, AdditionIsAsInThePaper) {
  EXPECT_THAT(positions_of("addition(reversed=answer)", "653+049|2070", "coupled"),
              ElementsAre(2, 3, 4, 5, 2, 3, 4, 5, 4, 3, 2, 1));
}

TEST(Coupled, DigitsOfEqualSignificanceShareAPositionInEveryOrder) {
  EXPECT_THAT(positions_of("addition", "653+049|0702", "coupled"),
              ElementsAre(2, 3, 4, 5, 2, 3, 4, 5, 1, 2, 3, 4));
  EXPECT_THAT(positions_of("addition(reversed=all)", "356+940|2070", "coupled"),
              ElementsAre(4, 3, 2, 5, 4, 3, 2, 5, 4, 3, 2, 1));
}

TEST(Coupled, ALetterAndItsCopyShareAPosition) {
  EXPECT_THAT(positions_of("copy", "abc|abc", "coupled"), ElementsAre(2, 3, 4, 1, 2, 3, 4));
  EXPECT_THAT(positions_of("reverse", "abc|cba", "coupled"), ElementsAre(2, 3, 4, 5, 4, 3, 2));
}

// McLeish et al. 2024, §3: each number is counted from its first digit, the least significant one.
TEST(Abacus, CountsEachRunOfLettersOrDigitsFromOne) {
  EXPECT_THAT(positions_of("addition(reversed=all)", "356+940|2070", "abacus"),
              ElementsAre(1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 4));
  EXPECT_THAT(positions_of("copy", "abc|ab", "abacus"), ElementsAre(1, 2, 3, 0, 1, 2));
}

TEST(TaskPositions, OfExamplesAreThoseOfTheirTokens) {
  const auto task = make_task("addition(reversed=answer)");
  const PositionScheme scheme = make_position_scheme("task");
  const Batch batch = with_positions(make_batch(*task, Split::training, 3, 0, 2, 2), *task, scheme);
  EXPECT_THAT(batch.positions, ElementsAre(2, 3, 4, 2, 3, 4, 3, 2, 1, 2, 3, 4, 2, 3, 4, 3, 2, 1));
  EXPECT_TRUE(with_positions(make_batch(*task, Split::training, 3, 0, 2, 2), *task, {}).positions.empty());
}

TEST(TaskPositions, AreTheFirstThatTheTaskGivesUnlessNamed) {
  const auto task = make_task("copy");
  const auto positions = [&](const std::string& scheme) {
    return with_positions(make_batch(*task, Split::training, 3, 0, 1, 2), *task, make_position_scheme(scheme))
        .positions;
  };
  EXPECT_THAT(positions("task"), ElementsAre(2, 3, 1, 2, 3));
  EXPECT_EQ(positions("task(ids=coupled)"), positions("task"));
  EXPECT_THAT(positions("task(ids=abacus)"), ElementsAre(1, 2, 0, 1, 2));
}

TEST(TaskPositions, AreNamedInWhatARunWrites) {
  const auto written = [](const std::string& encoding) {
    return plan_of(with({{"task.name", "copy"}, {"model.encoding", encoding}})).full.at("model.encoding");
  };
  EXPECT_THAT(written("learned@task"), HasSubstr("@task(ids=coupled, max_position="));
  EXPECT_EQ(written("learned@task(ids=coupled)"), written("learned@task"));
  EXPECT_THAT(written("learned@task(ids=abacus)"), HasSubstr("@task(ids=abacus, max_position="));
}

TEST(TaskPositions, OfAnUnknownNameAreRefusedBeforeTraining) {
  for (const std::string where : {"learned@task(ids=abakus)", "learned@task:task(ids=abakus)"}) {
    const Settings settings = with({{"task.name", "copy"}, {"model.encoding", where}});
    EXPECT_THAT(message_of<ConfigError>([&] { static_cast<void>(plan_of(settings)); }),
                "positions = task: ids: got 'abakus' (did you mean abacus?), expected "
                "one of coupled, abacus");
  }
}

TEST(TaskPositions, OfATaskThatGivesNoneAreRefusedBeforeTraining) {
  const Settings settings = with({{"task.name", "sort"}, {"model.encoding", "learned@task"}});
  EXPECT_THAT(message_of<ConfigError>([&] { static_cast<void>(plan_of(settings)); }),
              HasSubstr("positions = task: the task gives its tokens none"));
}

TEST(TaskPositions, AreNoneForAdditionWithHintsOrAScratchpad) {
  EXPECT_TRUE(make_task("addition(hints=true)")->position_ids().empty());
  EXPECT_TRUE(make_task("addition(scratchpad=true)")->position_ids().empty());
}

}  // namespace
}  // namespace ordinal::experiments

// The generated tasks against examples that tests/fixtures/tasks/make_fixtures.py drew from their definitions.
#include <gtest/gtest.h>

#include <set>

#include "tests/experiments/tasks/examples.h"

namespace ordinal::experiments {
namespace {

TEST(GeneratedTasks, GiveTheExamplesOfAnIndependentProgram) {
  std::set<std::string> covered;
  for (const std::vector<std::string>& fields : fields_of("tasks/examples.txt")) {
    const auto number = [&](std::size_t i) { return std::stoull(fields.at(i)); };
    const ExampleKey key{fields.at(1) == "training" ? Split::training : Split::validation, number(2),
                         static_cast<std::uint32_t>(number(3)), static_cast<std::uint32_t>(number(4))};
    SCOPED_TRACE(fields.at(0) + " " + fields.at(5));
    const auto task = make_task(fields.at(0));
    const Example drawn = example(*task, key, static_cast<Index>(number(5)));
    EXPECT_EQ(text_of(*task, drawn.tokens), fields.at(6));
    EXPECT_EQ(text_of(*task, drawn.targets), fields.at(7));
    covered.insert(parse_part(fields.at(0)).name);
  }
  EXPECT_GE(covered.size(), 37U) << "a built-in task has no reference examples any more";
}

}  // namespace
}  // namespace ordinal::experiments

// The generated tasks and the lengths of training batches against what tests/fixtures/tasks/make_fixtures.py drew from their
// definitions.
#include <gtest/gtest.h>

#include <set>
#include <sstream>

#include "experiments/tasks/lengths.h"
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
  EXPECT_GE(covered.size(), 39U) << "a built-in task has no reference examples any more";
}

TEST(Lengths, AreThoseOfAnIndependentProgram) {
  const std::vector<std::vector<std::string>> lines = fields_of("tasks/lengths.txt");
  for (const std::vector<std::string>& fields : lines) {
    SCOPED_TRACE(joined(fields));
    std::istringstream numbers(fields.at(4));
    std::vector<Index> expected;
    for (Index length = 0; numbers >> length;) expected.push_back(length);
    const LengthScheme scheme(parse_part(fields.at(1)), fields.at(0), std::stoll(fields.at(2)),
                              std::ssize(expected));
    const auto task = make_task(fields.at(0));
    for (std::uint32_t batch = 0; batch < expected.size(); ++batch)
      EXPECT_EQ(scheme.at(*task, std::stoull(fields.at(3)), batch), expected[batch]) << batch;
  }
  EXPECT_EQ(lines.size(), 18U);
}

}  // namespace
}  // namespace ordinal::experiments

// The generated tasks against examples that tests/fixtures/tasks/make_fixtures.py drew from their definitions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>

#include "experiments/tasks/task.h"
#include "tests/folders.h"

namespace ordinal::experiments {
namespace {

struct ReferenceExample {
  std::string task;
  ExampleKey key;
  Index length = 0;
  std::string tokens;
  std::string targets;
};

std::vector<ReferenceExample> references() {
  std::ifstream file(fixtures_folder() / "tasks/examples.txt");
  std::vector<ReferenceExample> all;
  for (std::string line; std::getline(file, line);) {
    std::istringstream fields(line);
    std::vector<std::string> values;
    for (std::string value; std::getline(fields, value, '\t');) values.push_back(value);
    const auto number = [&](std::size_t i) { return std::stoull(values.at(i)); };
    all.push_back({values.at(0),
                   {values.at(1) == "training" ? Split::training : Split::validation, number(2),
                    static_cast<std::uint32_t>(number(3)), static_cast<std::uint32_t>(number(4))},
                   static_cast<Index>(number(5)),
                   values.at(6),
                   values.at(7)});
  }
  return all;
}

std::string text_of(const Task& task, const std::vector<Token>& tokens) {
  std::string text;
  for (const Token token : tokens) {
    text += token == ignore_index ? "~" : task.alphabet().decode(std::span(&token, 1));
  }
  return text;
}

TEST(GeneratedTasks, GiveTheExamplesOfAnIndependentProgram) {
  for (const ReferenceExample& expected : references()) {
    SCOPED_TRACE(expected.task + " " + std::to_string(expected.length));
    const auto task = make_task(expected.task);
    std::vector<Token> tokens(static_cast<std::size_t>(task->seq_len(expected.length)));
    std::vector<Token> targets(tokens.size());
    task->example(expected.key, expected.length, tokens, targets);
    EXPECT_EQ(text_of(*task, tokens), expected.tokens);
    EXPECT_EQ(text_of(*task, targets), expected.targets);
  }
}

TEST(GeneratedTasks, AllHaveReferenceExamples) {
  std::set<std::string> covered;
  for (const ReferenceExample& one : references()) covered.insert(parse_part(one.task).name);
  for (const TaskEntry& entry : tasks().entries()) {
    const bool generated =
        entry.name != "text" && entry.direction != Direction::any;  // any: a task of one's own
    EXPECT_TRUE(!generated || covered.contains(entry.name)) << entry.name;
  }
}

}  // namespace
}  // namespace ordinal::experiments

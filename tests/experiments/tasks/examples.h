// Examples of tasks for tests, and fixtures of them.
#pragma once

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "experiments/tasks/task.h"
#include "tests/folders.h"

namespace ordinal::experiments {

struct Example {
  std::vector<Token> tokens;
  std::vector<Token> targets;
  bool operator==(const Example&) const = default;
};

inline Example example(const Task& task, const ExampleKey& key, Index length) {
  Example result{std::vector<Token>(static_cast<std::size_t>(task.seq_len(length))), {}};
  result.targets.resize(result.tokens.size());
  task.example(key, length, result.tokens, result.targets);
  return result;
}

inline std::vector<Label> labels(const Task& task, const ExampleKey& key, Index length) {
  return make_examples(task, key.split, key.seed, key.step, 1, length, key.example).labels;
}

/// With ~ where there is no loss.
inline std::string text_of(const Task& task, const std::vector<Token>& tokens) {
  std::string text;
  for (const Token token : tokens) {
    text += token == ignore_index ? "~" : task.alphabet().decode(std::span(&token, 1));
  }
  return text;
}

/// The fields of each line of a fixture, which have tabs between them.
inline std::vector<std::vector<std::string>> fields_of(const std::string& fixture) {
  std::ifstream file(fixtures_folder() / fixture);
  std::vector<std::vector<std::string>> lines;
  for (std::string line; std::getline(file, line);) {
    std::istringstream fields(line);
    std::vector<std::string>& values = lines.emplace_back();
    for (std::string value; std::getline(fields, value, '\t');) values.push_back(value);
  }
  return lines;
}

/// A task of the letters a and b, which only says what an example is.
class TwoLetters : public Task {
 public:
  const Alphabet& alphabet() const override { return alphabet_; }
  Measure measure() const override { return Measure::bits; }
  void check_length(Index /*length*/) const override {}
  std::string describe() const override { return "two letters"; }
  std::string data_hash() const override { return "0"; }

 private:
  Alphabet alphabet_{"a", "ab"};
};

}  // namespace ordinal::experiments

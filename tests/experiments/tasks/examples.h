// Examples of tasks for tests, as tokens and as text.
#pragma once

#include <string>
#include <vector>

#include "experiments/tasks/task.h"

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

/// With ~ where there is no loss.
inline std::string text_of(const Task& task, const std::vector<Token>& tokens) {
  std::string text;
  for (const Token token : tokens) {
    text += token == ignore_index ? "~" : task.alphabet().decode(std::span(&token, 1));
  }
  return text;
}

}  // namespace ordinal::experiments

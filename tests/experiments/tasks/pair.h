// Examples of tasks of a prompt and its answer, as text.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "experiments/tasks/task.h"

namespace ordinal::experiments {

struct Pair {
  std::string tokens;   // that the model sees
  std::string targets;  // with ~ where there is no loss

  // The prompt ends where the first answer is asked, and before the separator of a decoder.
  std::string prompt() const {
    const std::size_t first = targets.find_first_not_of('~');
    return tokens.substr(0, first);
  }
  std::string answer() const {
    const std::size_t first = targets.find_first_not_of('~');
    return targets.substr(first, targets.find_last_not_of('~') + 1 - first);
  }
};

inline Pair example(const Task& task, std::uint32_t index, Index length) {
  std::vector<Token> tokens(static_cast<std::size_t>(task.seq_len(length)));
  std::vector<Token> targets(tokens.size());
  task.example({Split::training, 5, 0, index}, length, tokens, targets);
  Pair pair{task.alphabet().decode(tokens), ""};
  for (const Token target : targets) {
    pair.targets += target == ignore_index ? "~" : task.alphabet().decode(std::span(&target, 1));
  }
  return pair;
}

// Checks a property of prompt and answer for many examples of every length up to 12.
inline void for_examples(const std::string& name,
                         const std::function<void(const std::string&, const std::string&)>& check) {
  const auto task = make_task(name);
  for (Index length = 1; length <= 12; ++length) {
    for (std::uint32_t i = 0; i < 20; ++i) {
      const Pair one = example(*task, i, length);
      SCOPED_TRACE(one.tokens + " answered by " + one.targets);
      check(one.prompt(), one.answer());
    }
  }
}

inline long long number(const std::string& text, int base) { return std::stoll(text, nullptr, base); }
inline std::string backwards(const std::string& text) { return {text.rbegin(), text.rend()}; }

}  // namespace ordinal::experiments

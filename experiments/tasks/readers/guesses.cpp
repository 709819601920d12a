// majority, draw: the most frequent of the earlier answers, or any of them; both ignore order. "last 64", "last 16": right where the
// source lies within the last 64 tokens (a training sequence) or a quarter of them, else they guess as draw does. "first 64": the same
// of the first 64 tokens, whose positions a model knows from training.
#include "experiments/tasks/reader.h"

namespace ordinal::experiments {

std::vector<Reader> guesses_readers() {
  const auto majority = [](const Question& asked) -> TargetScore { return {.hit = asked.label.majority}; };
  const auto draw = [](const Question& asked) -> TargetScore { return {.hit = asked.label.draw}; };
  const auto last = [](Index part) {
    return [part](const Question& asked) -> TargetScore {
      const Label& label = asked.label;
      return {.hit = label.draw && label.source <= asked.train_tokens / part ? true : label.draw};
    };
  };
  const auto first = [](const Question& asked) -> TargetScore {
    const Label& label = asked.label;
    const Index place = std::ssize(asked.before) - label.source;  // of the source, from 0
    return {.hit = label.draw && place < asked.train_tokens ? true : label.draw};
  };
  return {{"majority", Knows::counts, always(majority)},
          {"draw", Knows::counts, always(draw)},
          {"last", Knows::sources, always(last(4)), 4},
          {"last", Knows::sources, always(last(1)), 1},
          {"first", Knows::sources, always(first), 1}};
}

}  // namespace ordinal::experiments

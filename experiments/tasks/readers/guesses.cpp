// majority, draw: the most frequent of the earlier answers, or any of them; both ignore order. "last 64": right where the source lies
// within the last 64 tokens (a training sequence), else it guesses as draw does.
#include "experiments/tasks/reader.h"

namespace ordinal::experiments {

std::vector<Reader> guesses_readers() {
  const auto majority = [](const Question& asked) -> TargetScore { return {.hit = asked.label.majority}; };
  const auto draw = [](const Question& asked) -> TargetScore { return {.hit = asked.label.draw}; };
  const auto last = [](const Question& asked) -> TargetScore {
    const Label& label = asked.label;
    return {.hit = label.draw && label.source <= asked.train_tokens ? true : label.draw};
  };
  return {{"majority", Knows::counts, always(majority)},
          {"draw", Knows::counts, always(draw)},
          {"last", Knows::sources, always(last), true}};
}

}  // namespace ordinal::experiments

// truncated: the sequence is cut into windows of `size` tokens (0: the training length), one every `stride` (0: half of a
// window), each run as a separate sequence. What can be reached without any extrapolation?
#include <fmt/format.h>

#include <algorithm>

#include "experiments/conditions/condition.h"

namespace ordinal::experiments {
namespace {

struct Truncated {
  Index size = 0;
  Index stride = 0;

  void visit(OptionVisitor& v) {
    v.integer("size", size, automatic_or(1, largest_count), "tokens of a window; 0: the training length",
              Binds::test);
    v.integer("stride", stride, automatic_or(1, largest_count),
              "tokens from one window to the next; 0: half of a window", Binds::test);
  }
  void check() const {
    if (size == 0 || stride <= size) return;
    throw ConfigError(fmt::format(
        "truncated: stride {} exceeds size {}, which leaves out targets (lower stride)", stride, size));
  }
  void change(TestSetup& test) const {
    test.require_causal();
    if (test.task.seq_len(1) != 1 || test.task.seq_len(test.length) != test.length)
      throw ConfigError("the task scores an answer, expected one that scores every token");
    const Index tokens = test.or_trained(size);
    test.windows = {tokens, stride > 0 ? stride : std::max<Index>(tokens / 2, 1)};
    Truncated{test.windows.size, test.windows.stride}.check();
  }
};

}  // namespace

ConditionEntry truncated_entry() {
  return describe_condition<Truncated>(
      {.name = "truncated",
       .summary =
           "overlapping windows are run one by one, each target is scored where it has the most context"});
}

}  // namespace ordinal::experiments

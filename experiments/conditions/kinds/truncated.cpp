// truncated: the sequence is cut into windows of `size` tokens (0: the training length), one every `stride` (0: half of a
// window), each run as a separate sequence. What can be reached without any extrapolation?
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
    if (size > 0) check_windows({size, stride});
  }
  void change(TestSetup& test) const {
    test.require_causal();
    test.require_every_token();
    const Index tokens = test.or_trained(size);
    test.windows = {tokens, stride > 0 ? stride : std::max<Index>(tokens / 2, 1)};
    check_windows(test.windows);
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

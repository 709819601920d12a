// window: each query sees only the last `size` keys (0: the training length). Is attention spread over too many?
#include "experiments/conditions/condition.h"

namespace ordinal::experiments {
namespace {

struct Window {
  Index size = 0;

  void visit(OptionVisitor& v) {
    v.integer("size", size, automatic_or(1, largest_count), "keys that a query sees; 0: the training length",
              Binds::test);
  }
  void change(TestSetup& test) const {
    test.require_causal();
    test.require_attention();
    if (test.model.mixing_layers() > test.model.attention_layers())
      throw ConfigError("the model also has branches that read past a window, expected attention alone");
    test.attention.window = test.or_trained(size);
  }
};

}  // namespace

ConditionEntry window_entry() {
  return describe_condition<Window>(
      {.name = "window", .summary = "each query sees only the last keys; causal models only"});
}

}  // namespace ordinal::experiments

// trained: as in training.
#include "experiments/conditions/condition.h"

namespace ordinal::experiments {
namespace {

struct Trained : NoOptions {
  void change(TestSetup& /*test*/) const {}
};

}  // namespace

ConditionEntry trained_entry() {
  return describe_condition<Trained>({.name = "trained", .summary = "as in training"});
}

}  // namespace ordinal::experiments

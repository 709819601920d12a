// temperature: all scores times a factor, the same at every length: is attention too flat, or too sharp? Unlike log_n, it also changes
// what a model computes at the training length.
#include "experiments/conditions/condition.h"

namespace ordinal::experiments {
namespace {

struct Temperature {
  double factor = 1.5;
  void visit(OptionVisitor& v) {
    v.number("factor", factor, between(0.01, 100), "above 1: sharper; below 1: flatter", Binds::test);
  }
  void change(TestSetup& test) const {
    test.require_attention();
    test.attention.factor = factor;
  }
};

}  // namespace

ConditionEntry temperature_entry() {
  return describe_condition<Temperature>(
      {.name = "temperature", .summary = "scores, after encodings and before a softcap, times a factor"});
}

}  // namespace ordinal::experiments

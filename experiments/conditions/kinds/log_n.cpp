// log_n: scores times max(1, ln n / ln L) where a query sees n keys and L is the training length: another test of whether
// attention is spread over too many keys.
#include "experiments/conditions/condition.h"

namespace ordinal::experiments {
namespace {

struct LogN : NoOptions {
  void change(TestSetup& test) const {
    test.require_attention();
    const Index trained = test.or_trained(0);
    if (trained < 2) throw ConfigError("the training length is 1, expected at least 2");
    test.attention.log_n_length = static_cast<double>(trained);
  }
};

}  // namespace

ConditionEntry log_n_entry() {
  return describe_condition<LogN>({.name = "log_n",
                                   .summary = "scores, after encodings and before a softcap, times max(1, ln "
                                              "n / ln L) where a query sees n keys; "
                                              "L is the training length"});
}

}  // namespace ordinal::experiments

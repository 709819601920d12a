// shifted: positions start `offset` later (0: the training length). Are unseen positions the cause, or length?
#include <fmt/format.h>

#include "experiments/conditions/condition.h"

namespace ordinal::experiments {
namespace {

struct Shifted {
  Index offset = 0;

  void visit(OptionVisitor& v) {
    v.integer("offset", offset, automatic_or(1, largest_count), "first position; 0: the training length",
              Binds::test);
  }
  void change(TestSetup& test) const {
    if (test.positions.entry().has_range) {
      throw ConfigError(
          fmt::format("positions are {} and fill their range, expected ones that can be shifted",
                      test.positions.describe(1)));
    }
    test.positions.offset += static_cast<double>(test.or_trained(offset));
  }
};

}  // namespace

ConditionEntry shifted_entry() {
  return describe_condition<Shifted>({.name = "shifted", .summary = "positions start later"});
}

}  // namespace ordinal::experiments

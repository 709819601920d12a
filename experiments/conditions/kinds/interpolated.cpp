// interpolated: in the test alone, positions of longer sequences are compressed into the range of training (Chen et al. 2023),
// or rotary frequencies are slowed as much (yarn, ntk, …). Are unseen positions the cause?
#include <fmt/format.h>

#include "experiments/conditions/condition.h"

namespace ordinal::experiments {
namespace {

// Those that derive a factor from the lengths of the test and of training.
std::vector<std::string> scaling_schemes() {
  std::vector<std::string> names;
  for (const SchemeEntry& scheme : position_schemes().entries())
    if (scheme.scales || scheme.maps_distances) names.push_back(scheme.name);
  return names;
}

struct Interpolated {
  std::string by = "interpolated";

  void visit(OptionVisitor& v) {
    v.choice("by", by, scaling_schemes(), "the position scheme of the test", Binds::test);
  }
  void change(TestSetup& test) const {
    PositionScheme scheme = make_position_scheme(by);
    check_positions(test.model.config().encoding, scheme);
    if (test.positions.name() != "contiguous")
      throw ConfigError(fmt::format("positions are {} in the test, expected contiguous ones",
                                    test.positions.describe(test.task.seq_len(test.length))));
    scheme.offset = test.positions.offset;
    scheme.resolve(test.or_trained(0), test.task.seq_len(test.length));
    test.positions = scheme;
  }
};

}  // namespace

ConditionEntry interpolated_entry() {
  return describe_condition<Interpolated>(
      {.name = "interpolated",
       .summary =
           "positions of longer sequences are compressed into the range of training; for encodings that "
           "take contiguous ones"});
}

}  // namespace ordinal::experiments

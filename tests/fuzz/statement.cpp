// The statement of a claim: "bits(rope, 2x) > bits(none, 1x) + 0.05".
#include "experiments/claims/claim.h"

#include "tests/fuzz/targets.h"

namespace ordinal::fuzz {

void statement(const std::string& input) {
  accepts([&] {
    for (const experiments::Quantity& side : experiments::parse_statement(input).sides)
      if (side.metric.id.empty() || side.row.empty()) finding("a statement about nothing");
  });
}

}  // namespace ordinal::fuzz

// The statement of a claim: "bits(rope, 2x) > bits(none, 1x) + 0.05".
#include "experiments/claims/statement.h"

#include "tests/fuzz/targets.h"

namespace ordinal::fuzz {

void statement(const std::string& input) {
  accepts([&] {
    const experiments::Statement read = experiments::parse_statement(input);
    if (read.left.metric.empty() || read.left.row.empty()) finding("a statement about nothing");
  });
}

}  // namespace ordinal::fuzz

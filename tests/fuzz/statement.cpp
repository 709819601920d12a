// The statement of a claim: "bits(rope, 2x) < 1.25 * bits(none, 1x) and fails(learned, 2x)".
#include "experiments/claims/statement.h"

#include "tests/fuzz/targets.h"

namespace ordinal::fuzz {

void statement(const std::string& input) {
  accepts([&] {
    const experiments::Statement read = experiments::parse_statement(input);
    if (read.relations.empty() && read.failures.empty()) finding("a statement that says nothing");
    experiments::quantities_of(read);
  });
}

}  // namespace ordinal::fuzz

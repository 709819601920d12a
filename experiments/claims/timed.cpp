#include "experiments/claims/timed.h"

#include <fmt/format.h>

#include "experiments/benchmark/step.h"

namespace ordinal::experiments {
namespace {

constexpr Index turns = 31;

ClaimResult decided(Claim claim, bool holds, std::string why) {
  ClaimResult result;
  result.claim = std::move(claim);
  result.verdict = holds ? Verdict::holds : Verdict::fails;
  result.why = std::move(why);
  return result;
}

ClaimResult cost_of_a_step(Threads& threads) {
  const BenchmarkSize& small = benchmark_sizes().at(1);
  const double ratio = encoding_cost(small, "sinusoidal", turns, threads);
  return decided({.id = "S14",
                  .text = "a training step with sinusoidal PE takes at most 1.05 times one without",
                  .source = "course notes 1 (its cost is negligible)"},
                 ratio <= 1.05, fmt::format("{:.2f} times, with d_model {}", ratio, small.d_model));
}

}  // namespace

DecidedClaims timed_claims(Threads& threads) {
  return {.config = "",
          .title = "Time, on the machine that made this table",
          .results = {cost_of_a_step(threads)}};
}

}  // namespace ordinal::experiments

#include "experiments/claims/question.h"

#include <algorithm>

namespace ordinal::experiments {
namespace {

bool asks_again(const ClaimResult& result, const std::vector<ClaimResult>& results) {
  const std::string id = value_of(result.claim.section, "again");
  return std::ranges::any_of(results, [&](const ClaimResult& one) { return one.claim.section.id == id; });
}

}  // namespace

std::string to_string(Standing standing) {
  constexpr const char* names[] = {"holds", "holds in another setting", "not reproduced at this size",
                                   "undecided", "not run yet"};
  return names[static_cast<int>(standing)];
}

Standing AskedClaim::standing() const {
  const auto has = [&](Verdict verdict) {
    return first.verdict == verdict || std::ranges::count(again, verdict, &ClaimResult::verdict) > 0;
  };
  if (first.verdict == Verdict::holds) return Standing::holds;
  if (has(Verdict::holds)) return Standing::elsewhere;
  if (has(Verdict::fails)) return Standing::not_reproduced;
  return has(Verdict::undecided) ? Standing::undecided : Standing::not_run;
}

std::vector<AskedClaim> questions_of(const std::vector<ClaimResult>& results) {
  std::vector<AskedClaim> questions;
  for (const ClaimResult& result : results)
    if (!asks_again(result, results)) questions.push_back({result});
  for (const ClaimResult& result : results) {
    if (!asks_again(result, results)) continue;
    const std::string id = value_of(result.claim.section, "again");
    const auto of = std::ranges::find_if(
        questions, [&](const AskedClaim& one) { return one.first.claim.section.id == id; });
    if (of != questions.end()) of->again.push_back(result);
    if (of == questions.end()) questions.push_back({result});
  }
  return questions;
}

}  // namespace ordinal::experiments

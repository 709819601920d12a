#include "experiments/claims/decision.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <span>

#include "experiments/claims/measured.h"
#include "experiments/report/comparison.h"
#include "experiments/report/grid.h"

namespace ordinal::experiments {
namespace {

// Both sides of a relation in each seed that has both, in the order in which left > right is what it says.
struct Sides {
  std::vector<double> left;
  std::vector<double> right;
  std::map<std::string, std::set<std::uint64_t>> left_out;  // seeds that do not have both, by what they lack
};

Sides sides_of(const Relation& relation, const Claim& claim, const ExperimentResult& result) {
  Sides sides;
  const auto sum_of = [&](const std::vector<Term>& terms, std::uint64_t seed) -> std::optional<double> {
    double sum = 0.0;
    bool is_whole = true;
    for (const Term& term : terms) {
      const Reading one = term.quantity ? reading(*term.quantity, claim, result, seed) : Reading{1.0};
      if (!one.value) sides.left_out[one.why_none].insert(seed);
      is_whole = is_whole && one.value;
      sum += term.factor * one.value.value_or(0.0);
    }
    return is_whole ? std::optional(sum) : std::nullopt;
  };
  for (const std::uint64_t seed : seeds_of(result)) {
    const auto left = sum_of(relation.left, seed);
    const auto right = sum_of(relation.right, seed);
    if (!left || !right) continue;
    const bool swapped = relation.kind == Relation::Kind::less;
    sides.left.push_back(swapped ? *right : *left);
    sides.right.push_back(swapped ? *left : *right);
  }
  return sides;
}

// One relation of one claim.
struct Test {
  std::size_t claim = 0;
  const Relation* relation = nullptr;
  Sides sides;
  PairedComparison pairs;
};

Verdict verdict_of(const Test& test, Index tests) {
  if (test.pairs.n < fewest_seeds) return Verdict::undecided;
  const double margin = test.relation->margin;
  if (test.relation->kind == Relation::Kind::equal) {
    if (equivalent(test.pairs, margin, tests)) return Verdict::holds;
    return test.pairs.low > margin || test.pairs.high < -margin ? Verdict::fails : Verdict::undecided;
  }
  return test.pairs.decision;
}

// "0.412 against 0.828"
std::string values_of(const Test& test) {
  const bool swapped = test.relation->kind == Relation::Kind::less;
  const Summary left = summarize(swapped ? test.sides.right : test.sides.left);
  const Summary right = summarize(swapped ? test.sides.left : test.sides.right);
  return fmt::format("{} against {}", format_value(left.mean), format_value(right.mean));
}

// How far a relation is from failing, to find the weakest of a statement.
double strength(const Test& test) {
  if (test.pairs.n < fewest_seeds) return -INFINITY;
  if (test.relation->kind == Relation::Kind::equal)
    return test.relation->margin - std::abs(test.pairs.effect);
  return test.pairs.low;
}

Verdict failure_verdict(const Failure& failure, const ExperimentResult& result) {
  Index failed = 0;
  Index scored = 0;
  for (const CellResult& cell : result.cells) {
    if (cell.row != failure.row) continue;
    const std::vector<Index> lengths = lengths_in(failure.length, result.lengths, cell.train_length);
    for (const LengthScore& score : cell.scores) {
      const bool meant = std::ranges::find(lengths, score.length) != lengths.end();
      if (meant && score.condition == trained_condition) ++(score.failed ? failed : scored);
    }
  }
  if (scored > 0) return Verdict::fails;
  return failed > 0 ? Verdict::holds : Verdict::undecided;
}

// What fails counts more than what is open, and that more than what holds.
Verdict worse(Verdict a, Verdict b) {
  if (a == Verdict::fails || b == Verdict::fails) return Verdict::fails;
  return a == Verdict::undecided || b == Verdict::undecided ? Verdict::undecided : Verdict::holds;
}

const char* failure_fact(Verdict verdict) {
  if (verdict == Verdict::undecided) return "was not scored";
  return verdict == Verdict::holds ? "cannot run" : "runs";
}

void describe(const Test& test, const ExperimentResult& result, ClaimResult& outcome) {
  outcome.effect = test.pairs.effect;
  outcome.low = test.pairs.low;
  outcome.high = test.pairs.high;
  outcome.n = test.pairs.n;
  outcome.why = outcome.n == 0 ? "" : values_of(test);
  const Index all = std::ssize(seeds_of(result));
  const bool few = outcome.n < fewest_seeds;
  if (!few && test.pairs.has_no_spread()) {
    const bool holds = test.relation->kind == Relation::Kind::equal
                           ? std::abs(outcome.effect) < test.relation->margin
                           : outcome.effect > 0.0;
    outcome.why += "; no spread, so no verdict: P(success) " + share_text(holds ? outcome.n : 0, outcome.n);
  }
  if (!few && outcome.n == all) return;
  outcome.why += outcome.n == 0 ? "" : "; ";
  outcome.why +=
      few ? fmt::format("{} of {} seeds count, at least {} are needed", outcome.n, all, fewest_seeds)
          : fmt::format("seeds that count: {}", share_text(outcome.n, all));
  std::vector<std::string> reasons;
  for (const auto& [why, seeds] : test.sides.left_out)
    reasons.push_back(fmt::format("{} in {}", why, seeds.size()));
  if (!reasons.empty()) outcome.why += ": " + joined(reasons);
}

ClaimResult combined(const Claim& claim, const std::vector<const Test*>& own, const ExperimentResult& result,
                     Index tests) {
  ClaimResult outcome{.claim = claim, .verdict = Verdict::holds};
  const Test* weakest = nullptr;
  for (const Test* test : own) {
    const Verdict verdict = verdict_of(*test, tests);
    const Verdict before = outcome.verdict;
    outcome.verdict = worse(outcome.verdict, verdict);
    const bool decides = outcome.verdict != before;
    if (weakest == nullptr || decides || (verdict == outcome.verdict && strength(*test) < strength(*weakest)))
      weakest = test;
  }
  std::string broken;  // the first row that does not fail as it should
  for (const Failure& failure : claim.statement.failures) {
    const Verdict verdict = failure_verdict(failure, result);
    outcome.verdict = worse(outcome.verdict, verdict);
    outcome.why = fmt::format("{} {} at {}", failure.row, failure_fact(verdict), failure.length);
    if (verdict != Verdict::holds && broken.empty()) broken = outcome.why;
  }
  if (weakest != nullptr) describe(*weakest, result, outcome);
  if (!broken.empty()) outcome.why = weakest == nullptr ? broken : broken + "; " + outcome.why;
  return outcome;
}

// `all` tests, with those of other looks at the results. Inequalities by Holm's procedure. An equality has two one-sided tests at 0.05/m of their own, so Holm's leaves
// it its share, and its interval is that of level 0.05/m.
void correct_together(std::vector<Test>& tests, Index all) {
  std::vector<PairedComparison*> inequalities;
  std::vector<PairedComparison*> equalities;
  for (Test& test : tests) {
    (test.relation->kind == Relation::Kind::equal ? equalities : inequalities).push_back(&test.pairs);
  }
  correct(inequalities, all - std::ssize(inequalities));
  for (PairedComparison* equality : equalities) correct(std::span(&equality, 1), all - 1);
}

}  // namespace

std::string to_string(Verdict verdict) {
  return verdict == Verdict::holds ? "holds" : (verdict == Verdict::fails ? "fails" : "undecided");
}

std::vector<ClaimResult> decide(const std::vector<Claim>& claims, const ExperimentResult& result) {
  std::vector<Test> tests;
  for (std::size_t c = 0; c < claims.size(); ++c) {
    for (const Relation& relation : claims[c].statement.relations) {
      Test test{c, &relation, sides_of(relation, claims[c], result), {}};
      test.pairs = compare_pairs(test.sides.left, test.sides.right);
      tests.push_back(std::move(test));
    }
  }
  const Index all = std::ssize(tests) * result.looks;
  correct_together(tests, all);
  std::vector<ClaimResult> results;
  for (std::size_t c = 0; c < claims.size(); ++c) {
    std::vector<const Test*> own;
    for (const Test& test : tests) {
      if (test.claim == c) own.push_back(&test);
    }
    results.push_back(combined(claims[c], own, result, all));
  }
  return results;
}

}  // namespace ordinal::experiments

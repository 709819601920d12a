#include "experiments/claims/decision.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <tuple>

#include "experiments/report/comparison.h"
#include "experiments/report/grid.h"

namespace ordinal::experiments {
namespace {

// A number, or why there is none: "“learned” cannot run at 128".
struct Reading {
  std::optional<double> value = {};
  std::string why_none = {};
};

Reading none(const Quantity& quantity, const std::string& why) {
  return {std::nullopt, fmt::format("“{}” {}", quantity.row, why)};
}

Reading reading_at(const CellResult& cell, const Quantity& quantity, Index length) {
  const Score* score = score_at(cell.scores, quantity.metric, length, quantity.condition);
  if (score == nullptr) return none(quantity, fmt::format("was not scored at {}", length));
  if (score->failed) return none(quantity, fmt::format("cannot run at {}", length));
  if (std::isfinite(score->value)) return {score->value};
  return none(quantity, fmt::format("has no finite {} at {}", quantity.metric, length));
}

// The lengths that `text` stands for, among those at which the cell was tested.
std::vector<Index> lengths_of(const CellResult& cell, const std::string& text) {
  std::vector<Index> tested;
  for (const Score& score : cell.scores) {
    if (std::ranges::find(tested, score.length) == tested.end()) tested.push_back(score.length);
  }
  return lengths_in(text, tested, cell.train_length);
}

// None if the model cannot run, diverged, or did not learn and only models that did count (`seeds` as in Claim).
Reading reading(const Quantity& quantity, const std::string& seeds, const ExperimentResult& result,
                std::uint64_t seed) {
  const auto cell = std::ranges::find_if(
      result.cells, [&](const CellResult& one) { return one.row == quantity.row && one.seed == seed; });
  if (cell == result.cells.end()) return none(quantity, "was not trained");
  const auto learned = has_learned(result, *cell);
  if (quantity.metric == "learned") {
    return learned ? Reading{*learned ? 1.0 : 0.0} : none(quantity, "has no criterion of learning");
  }
  const bool did_not_learn = !learned.value_or(true);
  if (seeds == "learned" && did_not_learn) return none(quantity, "did not learn the task");
  if (quantity.metric == "gradient_norm") {
    const bool is_known = std::isfinite(cell->gradient_norm);
    return is_known ? Reading{cell->gradient_norm} : none(quantity, "has no mean norm of its gradient");
  }
  const std::vector<Index> lengths = lengths_of(*cell, quantity.length);
  if (lengths.empty()) return none(quantity, "was not scored at " + quantity.length);
  const bool past = std::ranges::max(lengths) > cell->train_length;
  if (past && seeds.empty() && did_not_learn) return none(quantity, "did not learn the task");
  double sum = 0.0;
  for (const Index length : lengths) {
    Reading one = reading_at(*cell, quantity, length);
    if (!one.value) return one;
    sum += *one.value;
  }
  return {sum / static_cast<double>(lengths.size())};
}

// One relation of one claim, with both sides for each seed that has both.
struct Test {
  const Relation* relation = nullptr;
  std::vector<double> left = {};
  std::vector<double> right = {};
  std::map<std::string, std::set<std::uint64_t>> left_out = {};  // seeds without both, by what is missing
  PairedComparison pairs = {};  // ordered so that the relation says left > right

  bool is_equality() const { return relation->kind == Relation::Kind::equal && !relation->in_most_seeds; }
};

// Sums that differ by rounding alone, as 0.6 + 0.3 and 0.9 do, are a tie.
bool holds(const Relation& relation, double left, double right) {
  if (relation.kind == Relation::Kind::equal) return std::abs(left - right) < relation.margin;
  const bool is_tie = std::abs(left - right) <= 1e-12 * std::max(std::abs(left), std::abs(right));
  return is_tie ? relation.or_equal : (left < right) == (relation.kind == Relation::Kind::less);
}

// The number of seeds in which the relation holds.
Index successes(const Test& test) {
  Index count = 0;
  for (std::size_t i = 0; i < test.left.size(); ++i)
    count += holds(*test.relation, test.left[i], test.right[i]) ? 1 : 0;
  return count;
}

PairedComparison compared(const Test& test) {
  if (test.relation->in_most_seeds) return compare_with_half(successes(test), std::ssize(test.left));
  const bool swapped = test.relation->kind == Relation::Kind::less;
  return swapped ? compare_pairs(test.right, test.left) : compare_pairs(test.left, test.right);
}

// Of most seeds all count, unless the claim says otherwise: one that did not learn has not succeeded.
Test tested(const Relation& relation, const Claim& claim, const ExperimentResult& result) {
  Test test{.relation = &relation};
  const std::string counted = relation.in_most_seeds && claim.seeds.empty() ? "all" : claim.seeds;
  const auto sum_of = [&](const std::vector<Term>& terms, std::uint64_t seed) -> std::optional<double> {
    double sum = 0.0;
    bool is_whole = true;
    for (const Term& term : terms) {
      const Reading one = term.quantity ? reading(*term.quantity, counted, result, seed) : Reading{1.0};
      if (!one.value) test.left_out[one.why_none].insert(seed);
      is_whole = is_whole && one.value;
      sum += term.factor * one.value.value_or(0.0);
    }
    return is_whole ? std::optional(sum) : std::nullopt;
  };
  for (const std::uint64_t seed : seeds_of(result)) {
    const auto left = sum_of(relation.left, seed);
    const auto right = sum_of(relation.right, seed);
    if (!left || !right) continue;
    test.left.push_back(*left);
    test.right.push_back(*right);
  }
  test.pairs = compared(test);
  return test;
}

Verdict verdict_of(const Test& test, Index tests) {
  if (test.pairs.n < fewest_seeds) return Verdict::undecided;
  if (!test.is_equality()) return test.pairs.decision;
  const double margin = test.relation->margin;
  if (equivalent(test.pairs, margin, tests)) return Verdict::holds;
  return test.pairs.low > margin || test.pairs.high < -margin ? Verdict::fails : Verdict::undecided;
}

// How far a relation is from failing, to find the weakest relation of a statement.
double strength(const Test& test) {
  if (test.pairs.n < fewest_seeds) return -INFINITY;
  return test.is_equality() ? test.relation->margin - std::abs(test.pairs.effect) : test.pairs.low;
}

Verdict failure_verdict(const Quantity& failure, const ExperimentResult& result) {
  Index failed = 0;
  Index scored = 0;
  for (const CellResult& cell : result.cells) {
    if (cell.row != failure.row) continue;
    const std::vector<Index> lengths = lengths_in(failure.length, result.lengths, cell.train_length);
    for (const Score& score : cell.scores) {
      const bool meant = std::ranges::find(lengths, score.length) != lengths.end();
      if (meant && score.condition == failure.condition) ++(score.failed ? failed : scored);
    }
  }
  if (scored > 0) return Verdict::fails;
  return failed > 0 ? Verdict::holds : Verdict::undecided;
}

// Fails takes precedence over undecided, and undecided over holds.
Verdict worse(Verdict a, Verdict b) {
  if (a == Verdict::fails || b == Verdict::fails) return Verdict::fails;
  return a == Verdict::undecided || b == Verdict::undecided ? Verdict::undecided : Verdict::holds;
}

const char* failure_fact(Verdict verdict) {
  if (verdict == Verdict::undecided) return "was not scored";
  return verdict == Verdict::holds ? "cannot run" : "runs";
}

bool is_fraction(const std::string& metric, const ExperimentResult& result) {
  return is_of_training(metric) ? metric == "learned" : metric_of(result, metric).is_fraction();
}

// The most by which one side can exceed the other. Bounded if all metrics are fractions, which lie between 0 and 1.
double largest_excess(const std::vector<Term>& side, const std::vector<Term>& other,
                      const ExperimentResult& result) {
  double most = 0.0;
  const auto add = [&](const Term& term, double factor) {
    if (!term.quantity) {
      most += factor;
    } else {
      most += is_fraction(term.quantity->metric, result) ? std::max(factor, 0.0) : INFINITY;
    }
  };
  for (const Term& term : side) add(term, term.factor);
  for (const Term& term : other) add(term, -term.factor);
  return most;
}

// Of the differences, as far as the metrics allow; of a share as it is.
Interval interval_of(const Test& test, const ExperimentResult& result) {
  if (test.relation->in_most_seeds) return {test.pairs.low, test.pairs.high};
  const bool swapped = test.relation->kind == Relation::Kind::less;
  const auto& [larger, smaller] = swapped ? std::tie(test.relation->right, test.relation->left)
                                          : std::tie(test.relation->left, test.relation->right);
  return {std::max(test.pairs.low, -largest_excess(smaller, larger, result)),
          std::min(test.pairs.high, largest_excess(larger, smaller, result))};
}

// Describes the relation that decides a statement: its numbers, and how many seeds they rest on.
void describe(const Test& test, const ExperimentResult& result, ClaimResult& outcome) {
  const auto [low, high] = interval_of(test, result);
  outcome.effect = test.pairs.effect;
  outcome.low = low;
  outcome.high = high;
  outcome.n = test.pairs.n;
  const Index all = std::ssize(seeds_of(result));
  const bool few = outcome.n < fewest_seeds;
  std::vector<std::string> parts;
  if (outcome.n > 0) {
    parts.push_back(fmt::format("{} against {}", format_value(summarize(test.left).mean),
                                format_value(summarize(test.right).mean)));
  }
  const bool no_spread = !few && test.pairs.has_no_spread();
  if (no_spread || (test.relation->in_most_seeds && outcome.n > 0)) {
    parts.push_back((no_spread ? "no spread, so no verdict: P(success) " : "P(success) ") +
                    share_text(successes(test), outcome.n));
  }
  if (few || outcome.n < all) {
    std::vector<std::string> reasons;
    for (const auto& [why, seeds] : test.left_out)
      reasons.push_back(fmt::format("{} in {}", why, seeds.size()));
    parts.push_back(
        (few ? fmt::format("{} of {} seeds count, at least {} are needed", outcome.n, all, fewest_seeds)
             : fmt::format("seeds that count: {}", share_text(outcome.n, all))) +
        (reasons.empty() ? "" : ": " + joined(reasons)));
  }
  outcome.why = joined(parts, "; ");
}

ClaimResult combined(const Claim& claim, const std::vector<Test>& own, const ExperimentResult& result,
                     Index tests) {
  ClaimResult outcome{.claim = claim, .verdict = Verdict::holds};
  const Test* weakest = nullptr;
  for (const Test& test : own) {
    const Verdict verdict = verdict_of(test, tests);
    const Verdict before = outcome.verdict;
    outcome.verdict = worse(outcome.verdict, verdict);
    const bool decides = outcome.verdict != before;
    if (weakest == nullptr || decides || (verdict == outcome.verdict && strength(test) < strength(*weakest)))
      weakest = &test;
  }
  std::string broken;  // the first row that does not fail as it should
  for (const Quantity& failure : claim.statement.failures) {
    const Verdict verdict = failure_verdict(failure, result);
    outcome.verdict = worse(outcome.verdict, verdict);
    outcome.why = fmt::format("{} {} at {}", failure.row, failure_fact(verdict), failure.length);
    if (verdict != Verdict::holds && broken.empty()) broken = outcome.why;
  }
  if (weakest != nullptr) describe(*weakest, result, outcome);
  if (!broken.empty()) outcome.why = weakest == nullptr ? broken : broken + "; " + outcome.why;
  return outcome;
}

// `all` includes the tests of other looks at the results. Inequalities and shares use Holm's procedure. An equality has
// its own two one-sided tests at 0.05/m, so Holm's procedure leaves it its share, and its interval is that of level 0.05/m.
void correct_together(std::vector<std::vector<Test>>& tests, Index all) {
  std::vector<PairedComparison*> inequalities;
  for (std::vector<Test>& own : tests) {
    for (Test& test : own) {
      PairedComparison* const pairs = &test.pairs;
      test.is_equality() ? correct(std::span(&pairs, 1), all - 1) : inequalities.push_back(pairs);
    }
  }
  correct(inequalities, all - std::ssize(inequalities));
}

}  // namespace

std::string to_string(Verdict verdict) {
  return verdict == Verdict::holds ? "holds" : (verdict == Verdict::fails ? "fails" : "undecided");
}

std::vector<ClaimResult> decide(const std::vector<Claim>& claims, const ExperimentResult& result) {
  std::vector<std::vector<Test>> tests;  // by claim
  Index all = 0;
  for (const Claim& claim : claims) {
    std::vector<Test>& own = tests.emplace_back();
    for (const Relation& relation : claim.statement.relations) own.push_back(tested(relation, claim, result));
    all += std::ssize(own) * result.looks;
  }
  correct_together(tests, all);
  std::vector<ClaimResult> results;
  for (std::size_t c = 0; c < claims.size(); ++c)
    results.push_back(combined(claims[c], tests[c], result, all));
  return results;
}

}  // namespace ordinal::experiments

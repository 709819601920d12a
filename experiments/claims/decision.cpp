#include "experiments/claims/decision.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <utility>

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

// None if the model cannot run or diverged.
Reading reading(const Quantity& quantity, const ExperimentResult& result, std::uint64_t seed) {
  const auto cell = std::ranges::find_if(
      result.cells, [&](const CellResult& one) { return one.row == quantity.row && one.seed == seed; });
  if (cell == result.cells.end()) return none(quantity, "was not trained");
  if (quantity.metric == "learned") {
    const auto learned = has_learned(result, *cell);
    return learned ? Reading{*learned ? 1.0 : 0.0} : none(quantity, "has no criterion of learning");
  }
  if (quantity.metric == "gradient_norm") {
    const bool is_known = std::isfinite(cell->gradient_norm);
    return is_known ? Reading{cell->gradient_norm} : none(quantity, "has no mean norm of its gradient");
  }
  const std::vector<Index> lengths = lengths_of(*cell, quantity.length);
  if (lengths.empty()) return none(quantity, "was not scored at " + quantity.length);
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
  std::map<std::string, std::set<std::uint64_t>> lacking = {};  // seeds without both, by what is missing
  std::vector<std::string> unranked = {};                       // rows that are not ranked, and should be
  Comparison pairs =
      {};  // differences so that the relation says they are above 0, or for an equality left - right

  bool is_decidable() const { return lacking.empty() && unranked.empty(); }
};

// Of an inequality, a seed in which it does not hold is against it. An equality holds if the median lies within the margin on
// both sides, and fails if it lies beyond on one.
Comparison compared(const Relation& relation, const std::vector<double>& left,
                    const std::vector<double>& right) {
  const double sign = relation.kind == Relation::Kind::less ? -1.0 : 1.0;
  std::vector<double> differences;
  for (std::size_t i = 0; i < left.size(); ++i) differences.push_back(sign * (left[i] - right[i]));
  Comparison pairs = compare(differences);
  if (relation.kind != Relation::Kind::equal) {
    relation.or_equal ? pairs.ahead = pairs.n() - pairs.behind : pairs.behind = pairs.n() - pairs.ahead;
    return pairs;
  }
  std::vector<double> above = differences;
  std::vector<double> below = differences;
  for (double& difference : above) difference += relation.margin;
  for (double& difference : below) difference -= relation.margin;
  pairs.ahead = std::min(compare(above).ahead, compare(below).behind);
  pairs.behind = std::max(pairs.n() - compare(above).ahead, pairs.n() - compare(below).behind);
  return pairs;
}

// Whether a claim needs this row to be ranked: past the training length, and with `seeds = learned` everywhere.
bool must_be_ranked(const Quantity& quantity, const Relation& relation, const Claim& claim,
                    const ExperimentResult& result) {
  if (claim.seeds == "all" || (relation.in_most_seeds && claim.seeds.empty()) || quantity.metric == "learned")
    return false;
  if (claim.seeds == "learned") return true;
  if (is_of_training(quantity.metric)) return false;
  const CellResult& cell = first_cell(result, quantity.row);
  const std::vector<Index> lengths = lengths_of(cell, quantity.length);
  return !lengths.empty() && std::ranges::max(lengths) > cell.train_length;
}

std::vector<std::string> unranked_rows(const Relation& relation, const Claim& claim,
                                       const ExperimentResult& result) {
  std::vector<std::string> rows;
  for (const Quantity& quantity : quantities_of({{relation}, {}})) {
    const Learning learning = learning_of(result, quantity.row);
    if (learning.cells == 0 || learning.most() || !must_be_ranked(quantity, relation, claim, result))
      continue;
    const std::string text = fmt::format("“{}” learned the task in {}", quantity.row,
                                         share_text(learning.learned, learning.known()));
    if (std::ranges::count(rows, text) == 0) rows.push_back(text);
  }
  return rows;
}

Test tested(const Relation& relation, const Claim& claim, const ExperimentResult& result) {
  Test test{.relation = &relation, .unranked = unranked_rows(relation, claim, result)};
  const auto sum_of = [&](const std::vector<Term>& terms, std::uint64_t seed) -> std::optional<double> {
    double sum = 0.0;
    bool is_whole = true;
    for (const Term& term : terms) {
      const Reading one = term.quantity ? reading(*term.quantity, result, seed) : Reading{1.0};
      if (!one.value) test.lacking[one.why_none].insert(seed);
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
  test.pairs = compared(relation, test.left, test.right);
  return test;
}

Verdict verdict_of(const Test& test) {
  return test.is_decidable() ? test.pairs.decision : Verdict::undecided;
}

// How far a relation is from failing, to find the weakest relation of a statement: by seeds, then by how much.
std::pair<Index, double> strength(const Test& test) {
  if (!test.is_decidable()) return {-test.pairs.n() - 1, 0.0};
  const double effect = test.pairs.median();
  const bool is_equality = test.relation->kind == Relation::Kind::equal;
  return {test.pairs.ahead - test.pairs.behind,
          is_equality ? test.relation->margin - std::abs(effect) : effect};
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

// Describes the relation that decides a statement: its numbers, and in how many seeds it holds.
void describe(const Test& test, const ExperimentResult& result, ClaimResult& outcome) {
  outcome.effect = test.pairs.median();
  outcome.n = test.pairs.n();
  if (test.is_decidable()) {
    outcome.low = test.pairs.interval.low;
    outcome.high = test.pairs.interval.high;
  }
  std::vector<std::string> parts;
  if (outcome.n > 0) {
    parts.push_back(fmt::format("{} against {} in the mean", format_value(summarize(test.left).mean),
                                format_value(summarize(test.right).mean)));
    parts.push_back(fmt::format("in {} of {} seeds", test.pairs.ahead, outcome.n));
  }
  for (const std::string& row : test.unranked) parts.push_back(row + ": fewer than three quarters");
  for (const auto& [why, seeds] : test.lacking)
    parts.push_back(fmt::format("{} in {} of {} seeds", why, seeds.size(), seeds_of(result).size()));
  outcome.why = joined(parts, "; ");
}

ClaimResult combined(const Claim& claim, const std::vector<Test>& own, const ExperimentResult& result) {
  ClaimResult outcome{.claim = claim, .verdict = Verdict::holds};
  const Test* weakest = nullptr;
  for (const Test& test : own) {
    const Verdict verdict = verdict_of(test);
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

}  // namespace

std::string to_string(Verdict verdict) {
  return verdict == Verdict::holds ? "holds" : (verdict == Verdict::fails ? "fails" : "undecided");
}

std::vector<ClaimResult> decide(const std::vector<Claim>& claims, const ExperimentResult& result) {
  std::vector<std::vector<Test>> tests;  // by claim
  for (const Claim& claim : claims) {
    std::vector<Test>& own = tests.emplace_back();
    for (const Relation& relation : claim.statement.relations) own.push_back(tested(relation, claim, result));
  }
  std::vector<Comparison*> family;
  for (std::vector<Test>& own : tests)
    for (Test& test : own) family.push_back(&test.pairs);
  decide(family);
  std::vector<ClaimResult> results;
  for (std::size_t c = 0; c < claims.size(); ++c) results.push_back(combined(claims[c], tests[c], result));
  return results;
}

}  // namespace ordinal::experiments

#include "experiments/claims/decision.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "experiments/report/comparison.h"
#include "experiments/report/grid.h"
#include "framework/core/number.h"
#include "framework/core/part.h"

namespace ordinal::experiments {
namespace {

// 128, or 2x for twice the training length; 0 if it is neither.
Index length_in(const std::string& text, Index train_length) {
  const bool multiple = text.ends_with('x');
  const auto number = parse_real(multiple ? text.substr(0, text.size() - 1) : text);
  if (!number || *number <= 0.0) return 0;
  const double length = multiple ? *number * static_cast<double>(train_length) : *number;
  return length == std::floor(length) ? static_cast<Index>(length) : 0;
}

// The columns of a length: one, or for `unseen` all past the training length; none if it was not tested.
std::vector<Index> lengths_in(const std::string& text, const ExperimentResult& result) {
  std::vector<Index> lengths;
  for (const Index length : result.lengths) {
    const bool meant =
        text == "unseen" ? length > result.train_length : length == length_in(text, result.train_length);
    if (meant) lengths.push_back(length);
  }
  return lengths;
}

// The number behind a quantity for one seed; nothing where the model cannot run, diverged, or did not learn.
class Measured {
 public:
  Measured(const Claim& claim, const ExperimentResult& result) : claim_(claim), result_(result) {}

  std::optional<double> of(const Quantity& quantity, std::uint64_t seed) const {
    const CellResult* cell = find(quantity.row, seed);
    if (cell == nullptr) return std::nullopt;
    const auto learned = has_learned(result_, *cell);
    if (quantity.metric == "learned") return learned.value_or(false) ? 1.0 : 0.0;
    const std::vector<Index> lengths = lengths_in(quantity.length, result_);
    const bool past = lengths.back() > result_.train_length;
    if (past && claim_.only_learned && !learned.value_or(true)) return std::nullopt;
    double sum = 0.0;
    for (const Index length : lengths) {
      const auto value = at(*cell, quantity, length);
      if (!value) return std::nullopt;
      sum += *value;
    }
    return sum / static_cast<double>(lengths.size());
  }

 private:
  const CellResult* find(const std::string& row, std::uint64_t seed) const {
    const auto is_it = [&](const CellResult& cell) { return cell.row == row && cell.seed == seed; };
    const auto cell = std::ranges::find_if(result_.cells, is_it);
    return cell == result_.cells.end() ? nullptr : &*cell;
  }

  static std::optional<double> at(const CellResult& cell, const Quantity& quantity, Index length) {
    const bool perplexity = quantity.metric == "perplexity";
    const std::string condition = quantity.condition.empty() ? trained_condition : quantity.condition;
    for (const LengthScore& score : cell.scores) {
      if (score.length != length || score.condition != condition) continue;
      const Measurement* measured = score.find(perplexity ? "bits" : quantity.metric);
      if (measured == nullptr || !std::isfinite(measured->value)) return std::nullopt;
      return perplexity ? std::exp2(measured->value) : measured->value;
    }
    return std::nullopt;
  }

  const Claim& claim_;
  const ExperimentResult& result_;
};

std::optional<double> sum_of(const std::vector<Term>& terms, const Measured& measured, std::uint64_t seed) {
  double sum = 0.0;
  for (const Term& term : terms) {
    const auto value = term.quantity ? measured.of(*term.quantity, seed) : std::optional(1.0);
    if (!value) return std::nullopt;
    sum += term.factor * *value;
  }
  return sum;
}

// Both sides of a relation in each seed that has both, in the order in which left > right is what it says.
struct Sides {
  std::vector<double> left;
  std::vector<double> right;
};

std::vector<std::uint64_t> seeds_of(const ExperimentResult& result) {
  std::set<std::uint64_t> seeds;
  for (const CellResult& cell : result.cells) seeds.insert(cell.seed);
  return {seeds.begin(), seeds.end()};
}

Sides sides_of(const Relation& relation, const Claim& claim, const ExperimentResult& result) {
  const Measured measured(claim, result);
  Sides sides;
  for (const std::uint64_t seed : seeds_of(result)) {
    const auto left = sum_of(relation.left, measured, seed);
    const auto right = sum_of(relation.right, measured, seed);
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
  if (test.pairs.decision == Decision::undecided) return Verdict::undecided;
  return test.pairs.decision == Decision::holds ? Verdict::holds : Verdict::fails;
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
  const Index length = lengths_in(failure.length, result).front();
  Index failed = 0;
  Index scored = 0;
  for (const CellResult& cell : result.cells) {
    if (cell.row != failure.row) continue;
    for (const LengthScore& score : cell.scores) {
      if (score.length == length && score.condition == trained_condition) ++(score.failed ? failed : scored);
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
  for (const Failure& failure : claim.statement.failures) {
    const Verdict verdict = failure_verdict(failure, result);
    outcome.verdict = worse(outcome.verdict, verdict);
    outcome.why = fmt::format("{} {} at {}", failure.row, verdict == Verdict::holds ? "cannot run" : "runs",
                              failure.length);
  }
  if (weakest == nullptr) return outcome;
  outcome.effect = weakest->pairs.effect;
  outcome.low = weakest->pairs.low;
  outcome.high = weakest->pairs.high;
  outcome.n = weakest->pairs.n;
  const Index all = std::ssize(seeds_of(result));
  outcome.why = outcome.n == 0 ? "no seed has learned and can run" : values_of(*weakest);
  if (outcome.n < fewest_seeds && outcome.n > 0)
    outcome.why += fmt::format("; {} of {} seeds learned and can run, at least {} are needed", outcome.n, all,
                               fewest_seeds);
  return outcome;
}

}  // namespace

std::string to_string(Verdict verdict) {
  return verdict == Verdict::holds ? "holds" : (verdict == Verdict::fails ? "fails" : "undecided");
}

std::vector<std::string> claim_problems(const std::vector<Claim>& claims,
                                        const ExperimentResult& experiment) {
  std::vector<std::string> problems;
  std::vector<std::string> rows;
  std::vector<std::string> metrics = {"perplexity", "learned"};
  for (const RowInfo& row : experiment.rows) rows.push_back(row.label);
  for (const MetricInfo& metric : experiment.metrics) metrics.push_back(metric.id);
  const bool has_bits = std::ranges::find(metrics, "bits") != metrics.end();
  const auto check = [&](const Claim& claim, Index column, const std::string& what, const std::string& got,
                         const std::vector<std::string>& expected) {
    if (std::ranges::find(expected, got) != expected.end()) return;
    problems.push_back(fmt::format("{}: [claim {}] statement: column {}: got {} '{}', expected one of {}",
                                   claim.origin, claim.id, column, what, got, joined(expected)));
  };
  std::vector<std::string> lengths = {"unseen"};
  for (const Index length : experiment.lengths) lengths.push_back(std::to_string(length));
  for (const Claim& claim : claims) {
    for (const Quantity& quantity : quantities_of(claim.statement)) {
      check(claim, quantity.column, "row", quantity.row, rows);
      check(claim, quantity.column, "metric",
            quantity.metric == "perplexity" && !has_bits ? "perplexity (of bits)" : quantity.metric, metrics);
      if (!quantity.condition.empty())
        check(claim, quantity.column, "condition", quantity.condition, conditions_of(experiment));
      if (quantity.metric != "learned" && lengths_in(quantity.length, experiment).empty())
        check(claim, quantity.column, "length", quantity.length, lengths);
    }
    for (const Failure& failure : claim.statement.failures) {
      check(claim, failure.column, "row", failure.row, rows);
      if (lengths_in(failure.length, experiment).size() != 1)
        check(claim, failure.column, "length", failure.length, {lengths.begin() + 1, lengths.end()});
    }
  }
  return problems;
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
  std::vector<PairedComparison*> all;
  for (Test& test : tests) all.push_back(&test.pairs);
  correct(all);
  std::vector<ClaimResult> results;
  for (std::size_t c = 0; c < claims.size(); ++c) {
    std::vector<const Test*> own;
    for (const Test& test : tests) {
      if (test.claim == c) own.push_back(&test);
    }
    results.push_back(combined(claims[c], own, result, std::ssize(tests)));
  }
  return results;
}

}  // namespace ordinal::experiments

#include "experiments/claims/claim.h"

#include <fmt/format.h>

#include <algorithm>

#include "experiments/claims/measured.h"
#include "experiments/claims/section_reader.h"
#include "experiments/report/comparison.h"
#include "framework/core/errors.h"
#include "framework/core/part.h"

namespace ordinal::experiments {
namespace {

Claim read(const WrittenSection& written, SectionReader& section) {
  Claim claim{.id = written.id, .text = section.value("statement"), .source = section.value("source")};
  claim.expected = section.choice("expected", {"holds", "fails"});
  claim.note = section.value("note");
  claim.only_learned = section.only_learned();
  claim.origin = written.origin;
  if (claim.text.empty()) {
    section.problem("statement: got nothing, expected one such as bits(rope, 2x) < bits(sinusoidal, 2x)");
    return claim;
  }
  try {
    claim.statement = parse_statement(claim.text);
  } catch (const ConfigError& error) {
    section.problem(fmt::format("statement: {}", error.what()));
  }
  return claim;
}

class Checks {
 public:
  explicit Checks(const ExperimentResult& experiment) : experiment_(experiment) {
    for (const RowInfo& row : experiment.rows) rows_.push_back(row.label);
    for (const MetricInfo& metric : experiment.metrics) metrics_.push_back(metric.id);
    metrics_.emplace_back("learned");
    metrics_.emplace_back("gradient_norm");
    lengths_.emplace_back("unseen");
    for (const Index length : experiment.lengths) lengths_.push_back(std::to_string(length));
  }

  void check(const Claim& claim) {
    for (const Quantity& quantity : quantities_of(claim.statement)) check(claim, quantity);
    for (const Failure& failure : claim.statement.failures) {
      expect(claim, failure.column, "row", failure.row, rows_);
      expect(claim, failure.column, "condition", trained_condition, conditions_of(experiment_));
      if (lengths(failure.length).size() != 1)
        expect(claim, failure.column, "length", failure.length, {lengths_.begin() + 1, lengths_.end()});
    }
  }

  const std::vector<std::string>& problems() const { return problems_; }

 private:
  void check(const Claim& claim, const Quantity& quantity) {
    const std::string condition = quantity.condition.empty() ? trained_condition : quantity.condition;
    expect(claim, quantity.column, "row", quantity.row, rows_);
    expect(claim, quantity.column, "metric", quantity.metric, metrics_);
    expect(claim, quantity.column, "condition", condition, conditions_of(experiment_));
    if (!is_of_training(quantity.metric) && lengths(quantity.length).empty())
      expect(claim, quantity.column, "length", quantity.length, lengths_);
  }

  // With rows of several training lengths, 2x may mean any of them; each row is asked for its own.
  std::vector<Index> lengths(const std::string& text) const {
    const bool multiple = text.ends_with('x') && parse_length(text, experiment_.lengths.back()) > 0;
    if (experiment_.train_length == 0 && (text == "unseen" || multiple)) return {1};
    return lengths_in(text, experiment_.lengths, experiment_.train_length);
  }

  void expect(const Claim& claim, Index column, const std::string& what, const std::string& got,
              const std::vector<std::string>& expected) {
    if (std::ranges::find(expected, got) != expected.end()) return;
    problems_.push_back(fmt::format("{}: [claim {}] statement: column {}: got {} '{}', expected one of {}",
                                    claim.origin, claim.id, column, what, got, joined(expected)));
  }

  const ExperimentResult& experiment_;
  std::vector<std::string> rows_;
  std::vector<std::string> metrics_;
  std::vector<std::string> lengths_;
  std::vector<std::string> problems_;
};

}  // namespace

std::vector<Claim> claims_of(const Settings& settings) {
  std::vector<Claim> claims;
  std::vector<std::string> problems;
  for (const WrittenSection& written : settings.sections("claim")) {
    SectionReader section(written);
    claims.push_back(read(written, section));
    problems.insert(problems.end(), section.problems().begin(), section.problems().end());
  }
  if (!problems.empty()) throw ConfigError(joined(problems, "\n"));
  return claims;
}

std::vector<std::string> claim_problems(const std::vector<Claim>& claims,
                                        const ExperimentResult& experiment) {
  Checks checks(experiment);
  for (const Claim& claim : claims) checks.check(claim);
  return checks.problems();
}

}  // namespace ordinal::experiments

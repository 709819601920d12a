#include "experiments/claims/sections.h"

#include <fmt/format.h>

#include <algorithm>

#include "experiments/report/comparison.h"
#include "framework/core/errors.h"
#include "framework/core/part.h"
#include "framework/core/text.h"

namespace ordinal::experiments {
namespace {

// Reads a section and collects its errors.
class Section {
 public:
  Section(const WrittenSection& written, std::vector<std::string>& problems)
      : written_(written), problems_(problems) {}

  // Empty if the key is missing.
  std::string value(const std::string& key) const {
    const std::string* found = written_.find(key);
    return found == nullptr ? "" : *found;
  }
  std::string choice(const std::string& key, const std::vector<std::string>& choices) {
    std::string got = value(key);
    if (got.empty() || std::ranges::find(choices, got) != choices.end()) return got;
    problem(fmt::format("{}: got '{}', expected {}", key, got, joined(choices, " or ")));
    return "";
  }

  void problem(const std::string& what) {
    problems_.push_back(fmt::format("{}: [{} {}] {}", written_.origin, written_.kind, written_.id, what));
  }
  void expect(const std::string& what, const std::string& got, const std::vector<std::string>& expected) {
    if (std::ranges::find(expected, got) == expected.end())
      problem(fmt::format("{} '{}', expected one of {}", what, got, joined(expected)));
  }

 private:
  const WrittenSection& written_;
  std::vector<std::string>& problems_;
};

// What the sections of an experiment may name.
struct Names {
  std::vector<std::string> rows;
  std::vector<std::string> metrics;
  std::vector<std::string> lengths;

  explicit Names(const ExperimentResult& experiment) {
    for (const RowInfo& row : experiment.rows) rows.push_back(row.label);
    for (const MetricSpec& metric : experiment.metrics) metrics.push_back(metric.id);
    for (const Index length : experiment.lengths) lengths.push_back(std::to_string(length));
  }
};

std::vector<std::string> with_unseen(std::vector<std::string> lengths) {
  lengths.insert(lengths.begin(), "unseen");
  return lengths;
}

Claim read_claim(const WrittenSection& written, Section section) {
  Claim claim{.id = written.id,
              .words = section.value("words"),
              .text = section.value("statement"),
              .source = section.value("source")};
  claim.expected = section.choice("expected", {"holds", "fails"});
  claim.note = section.value("note");
  claim.seeds = section.choice("seeds", {"learned", "all"});
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

void check(const Claim& claim, const ExperimentResult& experiment, std::vector<std::string>& problems) {
  const WrittenSection written{"claim", claim.id, claim.origin};
  const auto expect = [&](Index column, const char* what, const std::string& got,
                          const std::vector<std::string>& expected) {
    Section(written, problems)
        .expect(fmt::format("statement: column {}: got {}", column, what), got, expected);
  };
  // If rows differ in training length, 2x may mean any of several lengths; each row uses its own.
  const auto lengths = [&](const std::string& text) -> std::vector<Index> {
    const bool multiple = text.ends_with('x') && parse_length(text, experiment.lengths.back()) > 0;
    if (experiment.train_length == 0 && (text == "unseen" || multiple)) return {1};
    return lengths_in(text, experiment.lengths, experiment.train_length);
  };
  Names names(experiment);
  names.metrics.insert(names.metrics.end(), {"learned", "gradient_norm"});
  for (const Quantity& quantity : quantities_of(claim.statement)) {
    expect(quantity.column, "row", quantity.row, names.rows);
    expect(quantity.column, "metric", quantity.metric, names.metrics);
    expect(quantity.column, "condition", quantity.condition, conditions_of(experiment));
    if (!is_of_training(quantity.metric) && lengths(quantity.length).empty())
      expect(quantity.column, "length", quantity.length, with_unseen(names.lengths));
  }
  for (const Quantity& failure : claim.statement.failures) {
    expect(failure.column, "row", failure.row, names.rows);
    expect(failure.column, "condition", failure.condition, conditions_of(experiment));
    if (lengths(failure.length).size() != 1) expect(failure.column, "length", failure.length, names.lengths);
  }
}

}  // namespace

std::vector<Claim> claims_of(const Settings& settings) {
  std::vector<Claim> claims;
  std::vector<std::string> problems;
  for (const WrittenSection& written : settings.sections("claim"))
    claims.push_back(read_claim(written, Section(written, problems)));
  if (!problems.empty()) throw ConfigError(joined(problems, "\n"));
  return claims;
}

std::vector<std::string> claim_problems(const std::vector<Claim>& claims,
                                        const ExperimentResult& experiment) {
  std::vector<std::string> problems;
  for (const Claim& claim : claims) check(claim, experiment, problems);
  return problems;
}

std::vector<Index> lengths_in(const std::string& text, const std::vector<Index>& tested, Index train_length) {
  std::vector<Index> lengths;
  for (const Index length : tested) {
    const bool meant = text == "unseen" ? length > train_length : length == parse_length(text, train_length);
    if (meant) lengths.push_back(length);
  }
  return lengths;
}

}  // namespace ordinal::experiments

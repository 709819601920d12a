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
    for (const MetricInfo& metric : experiment.metrics) metrics.push_back(metric.id);
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

// The columns of a length in an experiment.
std::vector<std::size_t> columns_of(const std::string& length, const ExperimentResult& experiment,
                                    Section& section) {
  if (experiment.train_length == 0 && (length == "unseen" || length.ends_with('x'))) {
    section.problem(fmt::format(
        "lengths: got '{}', expected a length in tokens (rows differ in task.train_length)", length));
    return {};
  }
  std::vector<std::size_t> columns;
  for (const Index tested : lengths_in(length, experiment.lengths, experiment.train_length)) {
    const auto place = std::ranges::find(experiment.lengths, tested) - experiment.lengths.begin();
    columns.push_back(static_cast<std::size_t>(place));
  }
  if (columns.empty()) section.expect("lengths: got", length, with_unseen(Names(experiment).lengths));
  return columns;
}

// "alibi: 99 39", with a number or - for each of the `count` lengths.
PublishedTable::Row read_row(const std::string& text, std::size_t count, const Names& names,
                             Section& section) {
  const std::size_t colon = std::min(text.rfind(':'), text.size());
  PublishedTable::Row row{trimmed(text.substr(0, colon)), {}};
  section.expect("rows: got", row.label, names.rows);
  const std::string numbers = colon < text.size() ? trimmed(text.substr(colon + 1)) : "";
  for (const std::string& word : split_outside_brackets(numbers, ' ')) {
    if (word.empty()) continue;
    const auto number = parse_real(word);
    if (!number && word != "-")
      section.problem(fmt::format("rows: {}: got '{}', expected a number or -", row.label, word));
    row.values.push_back(number.value_or(not_a_number));
  }
  if (row.values.size() != count) {
    section.problem(fmt::format("rows: {}: got {} numbers, expected one for each of {} lengths", row.label,
                                row.values.size(), count));
  }
  return row;
}

PublishedTable read_table(Section section, const ExperimentResult& experiment) {
  const Names names(experiment);
  PublishedTable table{.source = section.value("source"),
                       .metric = section.value("metric"),
                       .note = section.value("note"),
                       .only_learned = section.choice("seeds", {"all"}) != "all"};
  section.expect("metric: got", table.metric, names.metrics);
  for (const std::string& length : split_outside_brackets(section.value("lengths"), ','))
    table.columns.push_back({length, columns_of(length, experiment, section)});
  for (const std::string& row : split_outside_brackets(section.value("rows"), ';')) {
    table.rows.push_back(read_row(row, table.columns.size(), names, section));
    const std::string& label = table.rows.back().label;
    if (std::ranges::count(table.rows, label, &PublishedTable::Row::label) > 1)
      section.problem(fmt::format("rows: got '{}' twice", label));
  }
  if (table.source.empty()) section.problem("source: got nothing, expected the paper and its table");
  return table;
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

std::vector<PublishedTable> published_tables(const Settings& settings, const ExperimentResult& experiment,
                                             std::vector<std::string>& problems) {
  std::vector<PublishedTable> tables;
  for (const WrittenSection& written : settings.sections("published"))
    tables.push_back(read_table(Section(written, problems), experiment));
  return tables;
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

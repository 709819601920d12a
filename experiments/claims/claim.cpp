#include "experiments/claims/claim.h"

#include <fmt/format.h>

#include <algorithm>

#include "experiments/report/comparison.h"
#include "experiments/settings/rows.h"
#include "framework/core/errors.h"
#include "framework/core/part.h"
#include "framework/core/text.h"

namespace ordinal::experiments {
namespace {

const std::vector<std::pair<std::string, std::vector<std::string>>> required = {
    {"claim", {"words", "statement", "source", "registered"}}, {"withdrawn", {"words", "reason"}}};

std::string place(const WrittenSection& section) {
  return fmt::format("{}: [{} {}] ", section.origin, section.kind, section.id);
}

// One line for each key that is missing.
std::vector<std::string> missing_keys(const Settings& settings) {
  std::vector<std::string> problems;
  for (const auto& [kind, keys] : required)
    for (const WrittenSection& section : settings.sections(kind))
      for (const std::string& key : keys)
        if (section.find(key) == nullptr || section.find(key)->empty())
          problems.push_back(fmt::format("{}{}: got nothing, expected a text", place(section), key));
  return problems;
}

// Whether a text is a date such as 2026-11-28, or a date and the first 7 to 40 digits of a commit.
bool is_date_and_commit(const std::string& text) {
  constexpr std::string_view form = "0000-00-00 ";
  for (std::size_t i = 0; i < std::min(text.size(), form.size()); ++i) {
    const bool fits = form[i] == '0' ? text[i] >= '0' && text[i] <= '9' : text[i] == form[i];
    if (!fits) return false;
  }
  if (text.size() == form.size() - 1) return true;
  const std::string commit = text.size() < form.size() ? "" : text.substr(form.size());
  return commit.size() >= 7 && commit.size() <= 40 &&
         commit.find_first_not_of("0123456789abcdef") == std::string::npos;
}

Claim read_claim(const WrittenSection& section, std::vector<std::string>& problems) {
  const auto value = [&](const char* key) {
    const std::string* found = section.find(key);
    return found == nullptr ? "" : *found;
  };
  const auto refuse = [&](const char* key, const std::string& why) {
    problems.push_back(fmt::format("{}{}: {}", place(section), key, why));
  };
  Claim claim{.id = section.id,
              .words = value("words"),
              .text = value("statement"),
              .source = value("source"),
              .registered = value("registered"),
              .note = value("note"),
              .origin = section.origin};
  if (!is_date_and_commit(claim.registered))
    refuse("registered",
           fmt::format("got '{}', expected a date, and a commit once it is known: 2026-11-28 9e6e898",
                       claim.registered));
  if (section.find("looks") != nullptr) claim.looks = parse_integer(value("looks")).value_or(0);
  if (section.find("looks") != nullptr && claim.looks < 2)
    refuse("looks", fmt::format("got '{}', expected a whole number of at least 2", value("looks")));
  try {
    claim.statement = parse_statement(claim.text);
  } catch (const ConfigError& error) {
    refuse("statement", error.what());
  }
  return claim;
}

// A row that the config does not have stays without a length.
void resolve(Quantity& quantity, const std::vector<Row>& rows) {
  const auto row = std::ranges::find(rows, quantity.row, &Row::label);
  if (row != rows.end())
    quantity.at = parse_length(quantity.length, row->settings.integer("task.train_length"));
}

std::string ids_of(const std::vector<MetricSpec>& metrics) {
  std::vector<std::string> ids;
  for (const MetricSpec& metric : metrics) ids.push_back(metric.id);
  return joined(ids);
}

}  // namespace

std::vector<Quantity> Claim::quantities() const {
  std::vector<Quantity> all = {statement.left};
  if (statement.right) all.push_back(*statement.right);
  return all;
}

std::vector<Claim> claims_of(const Settings& settings) {
  std::vector<Claim> claims;
  std::vector<std::string> problems = missing_keys(settings);
  if (problems.empty())
    for (const WrittenSection& section : settings.sections("claim"))
      claims.push_back(read_claim(section, problems));
  if (!problems.empty()) throw ConfigError(joined(problems, "\n"));
  if (claims.empty()) return claims;
  const std::vector<Row> rows = rows_of(settings);
  for (Claim& claim : claims) {
    resolve(claim.statement.left, rows);
    if (claim.statement.right) resolve(*claim.statement.right, rows);
  }
  return claims;
}

std::vector<std::string> claim_problems(const std::vector<Claim>& claims,
                                        const ExperimentResult& experiment) {
  std::vector<std::string> problems;
  std::vector<std::string> rows;
  for (const RowInfo& row : experiment.rows) rows.push_back(row.label);
  const std::vector<std::string> conditions = experiment.conditions;
  for (const Claim& claim : claims) {
    for (const Quantity& quantity : claim.quantities()) {
      const auto expect = [&](bool is_known, const char* what, const std::string& got,
                              const std::string& expected) {
        if (!is_known)
          problems.push_back(
              fmt::format("{}: [claim {}] statement: column {}: got {} '{}', expected one of {}",
                          claim.origin, claim.id, quantity.column, what, got, expected));
      };
      const bool has_row = std::ranges::count(rows, quantity.row) > 0;
      expect(has_row, "row", quantity.row, joined(rows));
      expect(std::ranges::count(experiment.metrics, quantity.metric, &MetricSpec::id) > 0, "metric",
             quantity.metric, ids_of(experiment.metrics));
      expect(std::ranges::count(conditions, quantity.condition) > 0, "condition", quantity.condition,
             joined(conditions));
      expect(!has_row || std::ranges::count(experiment.lengths, quantity.at) > 0, "length", quantity.length,
             fmt::format("{}", fmt::join(experiment.lengths, ", ")));
    }
  }
  return problems;
}

}  // namespace ordinal::experiments

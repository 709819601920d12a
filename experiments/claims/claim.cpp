#include "experiments/claims/claim.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "experiments/report/comparison.h"
#include "experiments/settings/rows.h"
#include "framework/core/errors.h"
#include "framework/core/part.h"
#include "framework/core/text.h"

namespace ordinal::experiments {
namespace {

using Form = Statement::Form;

constexpr const char* forms =
    "A > B, A > B + margin, A = B within margin or A >= number, where A and B are metric(row, length) or "
    "metric(row, length, condition)";

[[noreturn]] void refuse_statement(const std::string& got, const std::string& expected) {
  throw ConfigError(printable(fmt::format("got '{}', expected {}", got, expected)));
}

double number_of(const std::string& text, double above, const char* expected) {
  const auto number = parse_real(text);
  if (!number || *number <= above) refuse_statement(text, expected);
  return *number;
}

bool is_length(const std::string& text) { return parse_length(text, 1000) > 0; }

Quantity quantity_of(const std::string& text) {
  const std::size_t open = text.find('(');
  if (open == std::string::npos || open == 0 || !text.ends_with(')'))
    refuse_statement(text, "metric(row, length) or metric(row, length, condition)");
  Quantity quantity{.metric = text.substr(0, open)};
  // The labels of rows may have commas, so the length and the condition are looked for from the end.
  std::vector<std::string> fields =
      split_outside_brackets(std::string_view(text).substr(open + 1, text.size() - open - 2), ',');
  const auto take_last = [&] {
    const std::string last = fields.back();
    fields.pop_back();
    return last;
  };
  if (!is_length(fields.back())) quantity.condition = take_last();
  if (!fields.empty() && is_length(fields.back())) quantity.length = take_last();
  quantity.row = joined(fields);
  if (quantity.row.starts_with('"') && quantity.row.ends_with('"'))
    quantity.row = quantity.row.substr(1, quantity.row.size() - 2);
  if (quantity.length.empty() || quantity.row.empty())
    refuse_statement(text, "a row, and a length such as 128 or 2x");
  return quantity;
}

using Problems = std::vector<std::string>;

void refuse(Problems& problems, const WrittenSection& section, const std::string& key,
            const std::string& why) {
  problems.push_back(fmt::format("{}: [{} {}] {}: {}", section.origin, section.kind, section.id, key, why));
}

void require_texts(Problems& problems, const WrittenSection& section, const std::vector<std::string>& keys) {
  for (const std::string& key : keys)
    if (value_of(section, key).empty()) refuse(problems, section, key, "got nothing, expected a text");
}

// Whether it is a date such as 2026-11-28, or a date and the first 7 to 40 digits of a commit.
bool is_date_and_commit(const std::string& text) {
  std::string date = text.substr(0, 10);
  std::ranges::replace_if(
      date, [](char c) { return c >= '0' && c <= '9'; }, '0');
  const std::string commit = text.substr(date.size());
  const bool is_commit = commit.size() >= 8 && commit.size() <= 41 && commit.starts_with(' ') &&
                         commit.find_first_not_of("0123456789abcdef", 1) == std::string::npos;
  return date == "0000-00-00" && (commit.empty() || is_commit);
}

Claim read_claim(const WrittenSection& section, Problems& problems) {
  Claim claim{section};
  require_texts(problems, section, {"words", "statement", "source", "registered"});
  const std::string registered = value_of(section, "registered");
  if (!registered.empty() && !is_date_and_commit(registered))
    refuse(problems, section, "registered",
           fmt::format("got '{}', expected a date, and a commit once it is known: 2026-11-28 9e6e898",
                       registered));
  if (const std::string* looks = section.find("looks")) {
    claim.looks = parse_integer(*looks).value_or(0);
    if (claim.looks < 2)
      refuse(problems, section, "looks",
             fmt::format("got '{}', expected a whole number of at least 2", *looks));
  }
  const std::string statement = value_of(section, "statement");
  try {
    if (!statement.empty()) claim.statement = parse_statement(statement);
  } catch (const ConfigError& error) {
    refuse(problems, section, "statement", error.what());
  }
  return claim;
}

}  // namespace

Statement parse_statement(const std::string& text) {
  std::vector<std::string> words = split_outside_brackets(text, ' ');
  std::erase(words, "");
  const std::string form =
      words.size() == 3 ? words[1] : (words.size() == 5 ? words[1] + " " + words[3] : "");
  if (form == ">=")
    return {Form::at_least, {quantity_of(words[0])}, number_of(words[2], -INFINITY, "a number")};
  if (form == ">") return {Form::above, {quantity_of(words[0]), quantity_of(words[2])}};
  if (form != "> +" && form != "= within") refuse_statement(text, forms);
  return {form == "> +" ? Form::above : Form::within,
          {quantity_of(words[0]), quantity_of(words[2])},
          number_of(words[4], 0.0, "a margin above 0")};
}

std::string value_of(const WrittenSection& section, const std::string& key) {
  const std::string* found = section.find(key);
  return found == nullptr ? "" : *found;
}

std::vector<Claim> claims_of(const Settings& settings) {
  std::vector<Claim> claims;
  Problems problems;
  for (const WrittenSection& section : settings.sections("claim"))
    claims.push_back(read_claim(section, problems));
  for (const WrittenSection& section : settings.sections("withdrawn"))
    require_texts(problems, section, {"words", "reason"});
  if (!problems.empty()) throw ConfigError(joined(problems, "\n"));
  if (claims.empty()) return claims;
  const std::vector<Row> rows = rows_of(settings);
  for (Claim& claim : claims) {
    for (Quantity& quantity : claim.statement.sides) {
      const auto row = std::ranges::find(rows, quantity.row, &Row::label);
      if (row == rows.end()) continue;
      quantity.at = parse_length(quantity.length, row->settings.integer("task.train_length"));
      quantity.task = to_string(task_part(row->settings));
    }
  }
  return claims;
}

std::vector<std::string> claim_problems(const std::vector<Claim>& claims,
                                        const ExperimentResult& experiment) {
  std::map<std::string, std::vector<std::string>> known = {{"condition", experiment.conditions}};
  for (const RowInfo& row : experiment.rows) known["row"].push_back(row.label);
  for (const MetricSpec& metric : experiment.metrics) known["metric"].push_back(metric.id);
  Problems problems;
  for (const Claim& claim : claims) {
    for (const Quantity& quantity : claim.statement.sides) {
      std::vector<std::pair<std::string, std::string>> named = {
          {"row", quantity.row}, {"metric", quantity.metric}, {"condition", quantity.condition}};
      known["length"].clear();
      for (const Index length : lengths_under(experiment, quantity.condition))
        known["length"].push_back(std::to_string(length));
      if (quantity.at > 0) named.emplace_back("length", std::to_string(quantity.at));
      for (const auto& [what, name] : named)
        if (std::ranges::count(known[what], name) == 0)
          refuse(problems, claim.section, "statement",
                 fmt::format("got {} '{}', expected one of {}", what, name, joined(known[what])));
    }
  }
  return problems;
}

}  // namespace ordinal::experiments

#include "experiments/claims/claim.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <iterator>

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
  Quantity quantity{.metric = {.id = text.substr(0, open)}};
  // The labels of rows may have commas, so the length and the condition are looked for from the end.
  std::vector<std::string> fields =
      split_outside_brackets(std::string_view(text).substr(open + 1, text.size() - open - 2), ',');
  const auto take_last = [&] {
    std::string last = fields.back();
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

void check_withdrawal(const WrittenSection& section, Problems& problems) {
  require_texts(problems, section, {"words", "reason"});
  const std::string then = value_of(section, "then");
  const std::string verdict = then.substr(0, then.find(", "));
  if (then.empty() || verdict == "holds" || verdict == "fails" || verdict == "undecided") return;
  refuse(problems, section, "then",
         fmt::format("got '{}', expected its last verdict: holds, fails or undecided, and perhaps what was "
                     "measured: fails, 0.05",
                     then));
}

// Whether it is a day of the calendar up to today, such as 2026-11-28, and maybe the first 7 to 40 digits of a commit.
bool is_date_and_commit(const std::string& text) {
  std::tm day{};
  strptime(text.c_str(), "%F", &day);
  const std::string commit = text.size() > 10 ? text.substr(10) : " 0000000";  // none is one
  return timegm(&day) <= std::time(nullptr) &&  // which makes the 30th of February a day of March
         text.substr(0, 10) == fmt::format("{:%F}", day) && commit.size() > 7 && commit.size() < 42 &&
         commit.rfind(' ') == 0 && commit.find_first_not_of("0123456789abcdef", 1) == std::string::npos;
}

Claim read_claim(const WrittenSection& section, Problems& problems) {
  Claim claim{section};
  require_texts(problems, section, {"words", "statement", "source", "registered"});
  const std::string registered = value_of(section, "registered");
  if (!registered.empty() && !is_date_and_commit(registered))
    refuse(problems, section, "registered",
           fmt::format(
               "got '{}', expected a date up to today, and a commit once it is known: 2026-11-28 9e6e898",
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

// The length in numbers, the task and the metric of a quantity, from its row. Returns what the experiment does not have.
std::vector<std::string> resolve(Quantity& quantity, const std::vector<Row>& rows) {
  std::vector<std::string> missing;
  const auto require = [&](const char* what, const std::string& name, const std::vector<std::string>& known) {
    if (std::ranges::count(known, name) == 0)
      missing.push_back(fmt::format("got {} '{}', expected one of {}", what, name, joined(known)));
  };
  std::vector<std::string> labels;
  for (const Row& row : rows) labels.push_back(row.label);
  require("row", quantity.row, labels);
  if (!missing.empty()) return missing;
  const Settings& settings = std::ranges::find(rows, quantity.row, &Row::label)->settings;
  const Part task = task_part(settings);
  const std::vector<MetricSpec> metrics = task_metrics(task);
  quantity.task = to_string(task);
  for (const Part& part : encoding_parts(placed_encoding(settings->model.config.encoding).encoding))
    quantity.encoding += (quantity.encoding.empty() ? "" : "+") + part.name;
  quantity.train_length = settings->task.train_length;
  quantity.at = parse_length(quantity.length, quantity.train_length);
  require("metric", quantity.metric.id, ids_of(metrics));
  if (missing.empty()) quantity.metric = *std::ranges::find(metrics, quantity.metric.id, &MetricSpec::id);
  std::vector<std::string> conditions;
  std::vector<std::string> lengths;
  for (const auto& [length, condition] : tests_of(settings)) {
    if (std::ranges::count(conditions, condition) == 0) conditions.push_back(condition);
    if (condition == quantity.condition) lengths.push_back(std::to_string(length));
  }
  require("condition", quantity.condition, conditions);
  if (!lengths.empty()) require("length", std::to_string(quantity.at), lengths);
  return missing;
}

// Why no scores can decide a statement; empty if some can.
std::string undecidable(const Statement& statement) {
  const auto& [form, sides, number] = statement;
  const MetricSpec& metric = sides.front().metric;
  if (form == Form::at_least && (!metric.is_possible(number) || (metric.is_fraction() && number >= 1.0)))
    return fmt::format("got >= {}, expected a number that {} can be above{}", number, metric.id,
                       metric.is_fraction() ? ": from 0 to less than 1" : "");
  if (form != Form::at_least && metric.is_fraction() && number >= 1.0)
    return fmt::format("got a margin of {}, expected less than 1: {} is a share", number, metric.id);
  for (const Quantity& side : sides) {
    if (!side.metric.has_targets(side.at, side.train_length))
      return fmt::format("got {} at {}, expected a longer length: none of its targets is there",
                         side.metric.id, side.length);
    if (side.metric.is_fraction() != metric.is_fraction())
      return fmt::format("got {} and {}, expected two that can be compared", metric.id, side.metric.id);
  }
  const bool is_same = sides.size() == 2 && sides[0].row == sides[1].row && sides[0].at == sides[1].at &&
                       sides[0].condition == sides[1].condition && sides[0].metric.id == sides[1].metric.id;
  return is_same ? fmt::format("got the same score of {} twice, expected two", sides[0].row) : "";
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

std::string withdrawal(const WrittenSection& section) {
  const std::string then = value_of(section, "then");
  return fmt::format("{}, withdrawn: {} ({}{})", section.id, value_of(section, "words"),
                     value_of(section, "reason"), then.empty() ? "" : "; then: " + then);
}

std::vector<Claim> claims_of(const Settings& settings) {
  std::vector<Claim> claims;
  Problems problems;
  for (const WrittenSection& section : settings.sections("claim"))
    claims.push_back(read_claim(section, problems));
  for (const WrittenSection& section : settings.sections("withdrawn")) check_withdrawal(section, problems);
  if (!problems.empty()) throw ConfigError(joined(problems, "\n"));
  if (claims.empty()) return claims;
  const std::vector<Row> rows = rows_of(settings);
  for (Claim& claim : claims) {
    std::vector<std::string> wrong;
    for (Quantity& quantity : claim.statement.sides)
      std::ranges::move(resolve(quantity, rows), std::back_inserter(wrong));
    if (wrong.empty()) wrong.push_back(undecidable(claim.statement));
    for (const std::string& why : wrong)
      if (!why.empty()) refuse(problems, claim.section, "statement", why);
  }
  if (!problems.empty()) throw ConfigError(joined(problems, "\n"));
  return claims;
}

}  // namespace ordinal::experiments

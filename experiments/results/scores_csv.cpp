#include "experiments/results/scores_csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "experiments/results/csv.h"
#include "framework/core/errors.h"
#include "framework/core/options.h"
#include "framework/core/text.h"

namespace ordinal::experiments {
namespace {

const std::vector<std::string> columns = {"row",    "seed",  "length", "condition",
                                          "metric", "value", "tokens", "learned"};

// A line of the file.
struct Line {
  std::string place;  // "x.csv:2"
  std::vector<std::string> fields;

  const std::string& text(std::size_t column) const { return fields[column]; }
  void require(bool holds, std::size_t column, const std::string& expected) const {
    if (holds) return;
    throw DataError(
        fmt::format("{}: got {} '{}', expected {}", place, columns[column], fields[column], expected));
  }
  Index whole(std::size_t column) const {
    const std::optional<std::int64_t> number = parse_integer(fields[column]);
    require(number && *number >= 0, column, "a whole number");
    return *number;
  }
  std::optional<bool> learned() const {
    const std::string& field = fields[7];
    require(field == "1" || field == "0" || field.empty(), 7, "0, 1 or nothing");
    return field.empty() ? std::nullopt : std::optional(field == "1");
  }
};

Score score_of(const Line& line, const std::vector<MetricSpec>& metrics) {
  const auto metric = std::ranges::find(metrics, line.text(4), &MetricSpec::id);
  line.require(metric != metrics.end(), 4, "one of " + joined(ids_of(metrics)));
  const std::string& value = line.text(5);
  const std::optional<double> number = value == "inf" ? INFINITY : parse_real(value);
  line.require(value.empty() || (number && metric->is_possible(*number)), 5,
               metric->is_fraction() ? "a number from 0 to 1, or nothing" : "a number, or nothing");
  const bool of_reader = line.text(1).empty();
  return {.row = line.text(0),
          .of_reader = of_reader,
          .seed = of_reader ? 0 : static_cast<std::uint64_t>(line.whole(1)),
          .length = line.whole(2),
          .condition = line.text(3),
          .metric = *metric,
          .value = number.value_or(not_a_number),
          .tokens = line.whole(6),
          .learned = of_reader ? true : line.learned()};
}

}  // namespace

std::string learned_field(const Score& score) {
  return score.learned ? std::to_string(Index{*score.learned}) : "";
}

std::string scores_csv(const std::vector<Score>& scores) {
  std::string text = csv_line(columns);
  for (const Score& score : scores)
    text += csv_line({csv(score.row), score.of_reader ? "" : std::to_string(score.seed)}, score.length,
                     score.condition, score.metric.id, score.value, score.tokens,
                     score.of_reader ? "" : learned_field(score));
  return text;
}

std::vector<Score> read_scores(const std::string& text, const std::string& path,
                               const std::vector<MetricSpec>& metrics) {
  const CsvFile file = parse_csv(text, path);
  if (file.columns != columns)
    throw DataError(
        fmt::format("{}: got columns {}, expected {}", path, joined(file.columns), joined(columns)));
  std::vector<Score> scores;
  std::set<std::vector<std::string>> seen;
  std::map<std::pair<std::string, std::uint64_t>, std::optional<bool>> learned;
  for (const std::vector<std::string>& fields : file.lines) {
    const Line line{file.place(scores.size()), fields};
    Score& score = scores.emplace_back(score_of(line, metrics));
    const std::vector<std::string> what(line.fields.begin(), line.fields.begin() + 5);
    if (!seen.insert(what).second)
      throw DataError(
          fmt::format("{}: got a second line of {}, expected one", line.place, joined(what, ",")));
    const auto& before = learned.emplace(std::pair(score.row, score.seed), score.learned).first->second;
    line.require(score.of_reader || before == score.learned, 7, "what other lines of this seed have");
  }
  return scores;
}

}  // namespace ordinal::experiments

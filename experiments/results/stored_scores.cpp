#include "experiments/results/stored_scores.h"

#include <fmt/format.h>

#include "experiments/results/csv.h"
#include "framework/core/errors.h"
#include "framework/core/text.h"

namespace ordinal::experiments {

std::string scores_csv(const ExperimentResult& result, const std::set<std::string>& metrics) {
  std::string text = csv_line({"row", "seed", "length", "condition", "metric", "value", "tokens", "learned"});
  const auto add = [&](const Score& score, const std::string& seed, const std::string& learned) {
    text += csv_line({csv(score.row), seed}, score.length, score.condition, score.metric, score.value,
                     score.tokens, learned);
  };
  for (const CellResult& cell : result.cells) {
    const std::optional<bool> learned = has_learned(result, cell);
    for (const Score& score : cell.scores) {
      if (metrics.contains(score.metric) || &score == gate_score(result, cell))
        add(score, std::to_string(score.seed), learned ? std::to_string(Index{*learned}) : "");
    }
  }
  for (const Score& score : result.references)
    if (metrics.contains(score.metric)) add(score, "", "");
  return text;
}

StoredScores read_scores(const std::string& text, const std::string& path) {
  StoredScores stored;
  Index number = 1;
  for (const auto& line : read_csv(text, path)) {
    ++number;
    const auto field = [&](const char* column) -> const std::string& {
      const auto found = line.find(column);
      if (found == line.end()) throw DataError(fmt::format("{}: it has no column {}", path, column));
      return found->second;
    };
    const auto refuse = [&](const char* column, const char* expected) {
      throw DataError(
          fmt::format("{}:{}: {}: got '{}', expected {}", path, number, column, field(column), expected));
    };
    const auto whole = [&](const char* column) {
      const Index value = parse_integer(field(column)).value_or(-1);
      if (value < 0) refuse(column, "a whole number");
      return value;
    };
    const std::string& value = field("value");
    if (!value.empty() && !value.ends_with("inf") && !parse_real(value))
      refuse("value", "a number or nothing");
    const bool is_reader = field("seed").empty();
    const Score score{.row = field("row"),
                      .seed = is_reader ? 0 : static_cast<std::uint64_t>(whole("seed")),
                      .length = whole("length"),
                      .condition = field("condition"),
                      .metric = field("metric"),
                      .value = parse_real(value).value_or(not_a_number),
                      .tokens = whole("tokens")};
    std::vector<Score>* scores = &stored.readers;
    if (!is_reader) {
      StoredCell& cell = stored.cells[{score.row, score.seed}];
      if (!field("learned").empty()) cell.learned = whole("learned") > 0;
      scores = &cell.scores;
    }
    scores->push_back(score);
  }
  return stored;
}

bool lower_is_better(const std::string& metric) {
  return metric.find("bits") != std::string::npos || metric.find("perplexity") != std::string::npos;
}

}  // namespace ordinal::experiments

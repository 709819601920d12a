#include "experiments/results/stored_scores.h"

#include <fmt/format.h>

#include "experiments/results/csv.h"
#include "framework/core/errors.h"
#include "framework/core/options.h"
#include "framework/core/text.h"

namespace ordinal::experiments {

std::string scores_csv(const ExperimentResult& result, const std::function<bool(const Score&)>& is_used) {
  std::string text = csv_line({"row", "seed", "length", "condition", "metric", "value", "tokens", "learned"});
  const auto add = [&](const Score& score, const std::string& seed, const std::string& learned) {
    if (is_used(score))
      text += csv_line({csv(score.row), seed}, score.length, score.condition, score.metric, score.value,
                       score.tokens, learned);
  };
  for (const CellResult& cell : result.cells) {
    const std::optional<bool> learned = has_learned(result, cell);
    for (const Score& score : cell.scores)
      add(score, std::to_string(score.seed), learned ? std::to_string(Index{*learned}) : "");
  }
  for (const Score& score : result.references) add(score, "", "");
  return text;
}

StoredScores read_scores(const std::string& text, const std::string& path) {
  StoredScores stored;
  Index number = 1;
  for (const auto& line :
       read_csv(text, path, {"row", "seed", "length", "condition", "metric", "value", "learned"})) {
    ++number;
    const auto require = [&](bool holds, const std::string& got, const char* expected) {
      if (!holds) throw DataError(fmt::format("{}:{}: got {}, expected {}", path, number, got, expected));
    };
    const std::vector<std::string> cell(line.begin(), line.begin() + 2);
    const std::vector<std::string> score(line.begin(), line.begin() + 5);
    const std::string& value = line[5];
    const std::string& learned = line[6];
    require(parse_integer(line[2]).has_value(), "length '" + line[2] + "'", "a whole number");
    require(value.empty() || value.ends_with("inf") || parse_real(value), "value '" + value + "'",
            "a number or nothing");
    require(learned.empty() || learned == "0" || learned == "1", "learned '" + learned + "'",
            "0, 1 or nothing");
    require(stored.values.emplace(score, parse_real(value).value_or(not_a_number)).second,
            "a second line of " + joined(score, ","), "one");
    if (!learned.empty()) stored.learned[cell] = learned == "1";
  }
  return stored;
}

}  // namespace ordinal::experiments

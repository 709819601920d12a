#include "experiments/claims/stored_scores.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "experiments/results/csv.h"
#include "experiments/settings/rows.h"
#include "experiments/tasks/task.h"
#include "framework/core/errors.h"
#include "framework/core/options.h"
#include "framework/core/text.h"

namespace ordinal::experiments {
namespace {

using Setting = std::pair<std::string, std::string>;  // name and value

// The hash of the data of each task of the rows; empty if it needs a file that is not given.
std::vector<Setting> data_of(const Settings& settings) {
  std::map<std::string, std::string> hashes;
  for (const Row& row : rows_of(settings)) {
    const Part task = task_part(row.settings);
    Part named = task;
    named.options.erase("file");
    hashes["data of " + to_string(named)] = lacks_file(task) ? "" : make_task(task)->data_hash();
  }
  return {hashes.begin(), hashes.end()};
}

// All settings on which scores depend, those of rows included.
std::vector<Setting> binding(const Settings& settings) {
  const std::set<std::string> free = {"task.file", "finetune.file", "train.log_every",
                                      "train.checkpoint_every", "train.seed"};
  const std::set<std::string> sections = {"task", "model", "train", "finetune", "evaluate"};
  std::vector<Setting> lines = {{"experiment.seeds", settings->experiment.seeds}};
  for (const Key& key : all_keys())
    if (sections.contains(key.section()) && !free.contains(key.name))
      lines.emplace_back(key.name, settings.text(key.name));
  for (const char* kind : {"compare", "row"})
    for (const WrittenSection& section : settings.sections(kind))
      for (const auto& [key, value, origin] : section.settings)
        lines.emplace_back(fmt::format("[{}{}] {}", kind, section.id.empty() ? "" : " " + section.id, key),
                           value);
  std::ranges::move(data_of(settings), std::back_inserter(lines));
  return lines;
}

std::string first_change(const std::vector<std::string>& comments, const Settings& settings) {
  std::map<std::string, std::string> there;
  for (const std::string& line : comments) {
    const std::size_t equals = std::min(line.find(" = "), line.size());
    there[line.substr(0, equals)] = line.substr(std::min(equals + 3, line.size()));
  }
  for (const auto& [name, value] : binding(settings)) {
    const auto stored = there.find(name);
    const bool is_data = name.starts_with("data of ");
    if (stored == there.end()) {  // as before there was such a key, if it is at its default
      if (find_key(name) != nullptr && !settings.is_given(name)) continue;
      return fmt::format("the config has {} = {}, they do not", name, value);
    }
    if (stored->second != value && !(is_data && value.empty()))
      return fmt::format("they have {} = {}, the config {}", name, stored->second, value);
    there.erase(stored);
  }
  if (there.empty()) return "";
  const auto& [name, value] = *there.begin();
  return fmt::format("they have {} = {}, the config does not", name, value);
}

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
  // pandas writes whole numbers as 1.0 if a field of the column is empty.
  Index whole(std::size_t column) const {
    const std::optional<double> number = parse_real(fields[column]);
    require(number && *number >= 0.0 && *number < 1e15 && *number == std::floor(*number), column,
            "a whole number");
    return static_cast<Index>(*number);
  }
  std::optional<bool> learned() const {
    const std::string& field = fields[7];
    const bool yes = field == "1" || field == "1.0" || field == "True";
    require(yes || field.empty() || field == "0" || field == "0.0" || field == "False", 7, "0, 1 or nothing");
    return field.empty() ? std::nullopt : std::optional(yes);
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

std::string scores_csv(const std::vector<Score>& scores) {
  std::string text = csv_line(columns);
  for (const Score& score : scores)
    text += csv_line({csv(score.row), score.of_reader ? "" : std::to_string(score.seed)}, score.length,
                     score.condition, score.metric.id, score.value, score.tokens,
                     score.of_reader ? "" : known_field(score.learned));
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

std::string stored_text(const Settings& settings, const std::vector<Score>& scores) {
  std::string text;
  for (const auto& [name, value] : binding(settings)) text += fmt::format("# {} = {}\n", name, value);
  return text + scores_csv(scores);
}

StoredScores read_stored(const std::string& text, const std::string& path, const Settings& settings) {
  std::vector<MetricSpec> metrics;
  for (const Row& row : rows_of(settings))
    for (const MetricSpec& metric : task_metrics(task_part(row.settings)))
      if (std::ranges::count(metrics, metric.id, &MetricSpec::id) == 0) metrics.push_back(metric);
  return {read_scores(text, path, metrics), first_change(parse_csv(text, path).comments, settings)};
}

}  // namespace ordinal::experiments

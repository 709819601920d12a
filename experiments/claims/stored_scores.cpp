#include "experiments/claims/stored_scores.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "experiments/results/csv.h"
#include "experiments/results/scores_csv.h"
#include "experiments/settings/rows.h"
#include "experiments/tasks/task.h"

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
  std::vector<Setting> lines = {{"experiment.seeds", settings.text("experiment.seeds")}};
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
      return fmt::format("{} = {}, and nothing in the file", name, value);
    }
    if (stored->second != value && !(is_data && value.empty()))
      return fmt::format("{} = {}, and {} in the config", name, stored->second, is_data ? "others" : value);
    there.erase(stored);
  }
  return there.empty()
             ? ""
             : fmt::format("{} = {}, and nothing in the config", there.begin()->first, there.begin()->second);
}

}  // namespace

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

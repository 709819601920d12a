#include "experiments/experiment/checkpoint_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "experiments/experiment/outline.h"
#include "experiments/settings/checkpoint_settings.h"
#include "experiments/settings/checks.h"
#include "experiments/settings/rows.h"
#include "framework/core/errors.h"

namespace ordinal::experiments {
namespace {

// Drops what a config file says about trainings.
void forget_trainings(Settings& settings) {
  settings.forget_comparison();
  for (const Key& key : all_keys()) {
    const std::string section = key.section();
    const bool is_said = settings.origin(key.name) == command_line_origin;
    if ((section == "model" && !is_said) || section == "finetune") settings.reset(key.name);
  }
}

std::vector<Plan> plans_of(const std::vector<Entrant>& rows) {
  std::vector<Plan> plans;
  for (const Entrant& row : rows) plans.push_back(row.first().plan);
  return plans;
}

// The index of the row with equal settings and data; adds the row if there is none.
std::size_t row_of(Entrant entrant, std::vector<Entrant>& rows) {
  const auto same = std::ranges::find_if(rows, [&](const Entrant& row) {
    return row.task().data_hash() == entrant.task().data_hash() &&
           row.first().plan.full == entrant.first().plan.full;
  });
  const auto number = static_cast<std::size_t>(same - rows.begin());
  if (same == rows.end()) rows.push_back(std::move(entrant));
  return number;
}

// Adds the files that rows learned from, because nothing else may distinguish the rows.
void add_files(std::vector<Entrant>& rows) {
  for (const Key& key : all_keys()) {
    if (key.section() != "task" || key.option.type != OptionType::files) continue;
    for (Entrant& entrant : rows) {
      const std::string files = joined(entrant.row.settings.list(key.name));
      if (!files.empty()) entrant.row.factors.emplace_back(key.name, files);
    }
  }
}

void name_rows(std::vector<Entrant>& rows) {
  std::vector<Combination> values = distinguishing_values(plans_of(rows));
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i].row.factors = values[i];
  std::ranges::sort(values);
  if (std::ranges::adjacent_find(values) != values.end()) add_files(rows);
  std::vector<Row> named;
  for (Entrant& entrant : rows) {
    std::vector<std::string> labels;
    for (const auto& [key, value] : entrant.row.factors) labels.push_back(label_of(key, value));
    entrant.row.label = joined(labels);
    named.push_back(entrant.row);
  }
  name_folders(named);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i].row.folder = named[i].folder;
}

}  // namespace

Settings evaluation_settings(const Settings& given, const std::string& path) {
  Settings wanted = given;
  forget_trainings(wanted);
  Settings settings = fine_tuning_settings(wanted, path);
  const Settings trained = settings_of(SafetensorsFile(path), path);
  for (const Key& key : all_keys()) {
    const bool may_be_given = key.name == "train.batch" && given.is_given(key.name);
    if (key.section() != "train" || may_be_given) continue;
    settings.reset(key.name);
    if (trained.is_given(key.name)) settings.set(key.name, trained.text(key.name), path);
  }
  return settings;
}

CheckpointRows checkpoint_rows(const Settings& given, const std::vector<std::string>& paths,
                               Entrants& makers) {
  CheckpointRows all;
  std::map<std::pair<std::size_t, std::uint64_t>, std::string> models;  // by row and seed
  std::vector<std::string> problems;
  std::map<std::string, std::size_t> unread;  // how many checkpoints do not read a setting
  const auto add = [&](const std::string& path) {
    Row row;
    row.settings = evaluation_settings(given, path);
    const std::size_t before = problems.size();
    for (const std::string& problem : unused_settings(row.settings, Builds::model)) {
      if (++unread[problem] == paths.size()) problems.push_back(problem);
    }
    if (problems.size() > before) return;
    const auto seed = static_cast<std::uint64_t>(row.settings.integer("train.seed"));
    Entrant entrant = makers.make(row);
    for (Stage& stage : entrant.stages) stage.rows = {};  // the task may be another than that of training
    const auto [same, is_new] = models.try_emplace({row_of(std::move(entrant), all.rows), seed}, path);
    if (is_new) return;
    problems.push_back(
        same->second == path
            ? path + ": it is listed more than once"
            : fmt::format(
                  "{}: it has the settings and the seed {} of {}; score each with an --out of its own", path,
                  seed, same->second));
  };
  for (const std::string& path : paths) {
    try {
      add(path);
    } catch (const CheckpointError& error) {  // names the file
      problems.emplace_back(error.what());
    } catch (const ConfigError& error) {
      problems.push_back(fmt::format("{}: {}", path, error.what()));
    }
  }
  if (!problems.empty()) throw ConfigError(joined(problems, "\n"));
  name_rows(all.rows);
  outline_of(all.rows);  // throws for tasks that cannot be compared
  for (const auto& [at, path] : models)
    all.cells.push_back({.entrant = all.rows[at.first],
                         .evaluation = all.rows.front().row.settings,
                         .seed = at.second,
                         .checkpoint = path});
  return all;
}

Settings CheckpointRows::experiment() const {
  const std::string origin = "evaluate";
  Settings experiment = rows.front().row.settings;
  const std::vector<Plan> plans = plans_of(rows);
  const std::vector<std::string> keys = differing_keys(plans);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::string& label = rows[i].row.label;
    experiment.add_to_section("row", label, "", "", origin);
    for (const std::string& key : keys)
      experiment.add_to_section("row", label, key, plans[i].full.at(key), origin);
  }
  std::vector<std::string> seeds;
  for (const Cell& cell : cells) {
    const std::string seed = std::to_string(cell.seed);
    if (std::ranges::find(seeds, seed) == seeds.end()) seeds.push_back(seed);
  }
  experiment.set("experiment.seeds", joined(seeds) + (seeds.size() == 1 ? "," : ""), origin);
  return experiment;
}

}  // namespace ordinal::experiments

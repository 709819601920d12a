#include "experiments/experiment/checkpoint_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "experiments/experiment/outline.h"
#include "experiments/settings/checkpoint_settings.h"
#include "experiments/settings/checks.h"
#include "experiments/settings/rows.h"
#include "framework/core/errors.h"

namespace ordinal::experiments {
namespace {

const std::string origin = "evaluate";

// What a config file says about trainings.
void forget_trainings(Settings& settings) {
  settings.forget_comparison();
  for (const Key& key : all_keys()) {
    const std::string section = key.section();
    const bool of_model = section == "model" || section == "positional";
    const bool is_said = settings.origin(key.name) == command_line_origin;
    if ((of_model && !is_said) || section == "finetune") settings.reset(key.name);
  }
}

std::vector<Plan> plans_of(const std::vector<ModelRow>& rows) {
  std::vector<Plan> plans;
  for (const ModelRow& row : rows) plans.push_back(row.entrant.first().plan);
  return plans;
}

// A line for each problem of all checkpoints together.
class Problems {
 public:
  explicit Problems(std::size_t checkpoints) : checkpoints_(checkpoints) {}

  void add(const std::string& line) { lines_.push_back(line); }

  // A setting that one checkpoint does not read may be for another.
  void add(const std::string& path, const std::vector<Contradiction>& found) {
    for (const Contradiction& one : found) {
      if (!one.of_all) {
        add(fmt::format("{}: {}", path, one.text));
      } else if (++unread_[one.text] == checkpoints_) {
        add(one.text);
      }
    }
  }

  void check() const {
    if (!lines_.empty()) throw ConfigError(joined(lines_, "\n"));
  }

 private:
  std::size_t checkpoints_;
  std::map<std::string, std::size_t> unread_;  // how many checkpoints do not read it, by text
  std::vector<std::string> lines_;
};

// The row of equal settings and data, or a new one.
ModelRow& row_for(Entrant entrant, std::vector<ModelRow>& rows) {
  for (ModelRow& row : rows) {
    if (row.entrant.task().data_hash() == entrant.task().data_hash() &&
        row.entrant.first().plan.full == entrant.first().plan.full) {
      return row;
    }
  }
  rows.push_back({std::move(entrant), {}});
  return rows.back();
}

void add_model(const SavedModel& model, Entrant entrant, std::vector<ModelRow>& rows, Problems& problems) {
  std::vector<SavedModel>& models = row_for(std::move(entrant), rows).models;
  const auto same = std::ranges::find(models, model.seed, &SavedModel::seed);
  if (same != models.end() && same->checkpoint == model.checkpoint) {
    problems.add(model.checkpoint.string() + ": it is listed more than once");
  } else if (same != models.end()) {
    problems.add(
        fmt::format("{}: it has the settings and the seed {} of {}; score each with an --out of its own",
                    model.checkpoint.string(), model.seed, same->checkpoint.string()));
  } else {
    models.push_back(model);
  }
}

// Rows that learned from other files may have nothing else that tells them apart.
void add_files(std::vector<ModelRow>& rows) {
  for (const Key& key : all_keys()) {
    if (key.section() != "task" || key.option.type != OptionType::files) continue;
    for (ModelRow& row : rows) {
      const std::string files = joined(row.entrant.row.settings.list(key.name));
      if (!files.empty()) row.entrant.row.factors.emplace_back(key.name, files);
    }
  }
}

void name_rows(std::vector<ModelRow>& rows) {
  const std::vector<Combination> values = distinguishing_values(plans_of(rows));
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i].entrant.row.factors = values[i];
  std::vector<Combination> sorted = values;
  std::ranges::sort(sorted);
  if (std::ranges::adjacent_find(sorted) != sorted.end()) add_files(rows);
  std::vector<Row> named;
  for (const ModelRow& row : rows) {
    std::vector<std::string> labels;
    for (const auto& [key, value] : row.entrant.row.factors) labels.push_back(label_of(key, value));
    named.push_back(row.entrant.row);
    named.back().label = joined(labels);
  }
  name_folders(named);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i].entrant.row = named[i];
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

std::vector<ModelRow> checkpoint_rows(const Settings& given, const std::vector<std::string>& paths,
                                      Entrants& makers) {
  Problems problems(paths.size());
  std::vector<ModelRow> rows;
  for (const std::string& path : paths) {
    try {
      Row row;
      row.settings = evaluation_settings(given, path);
      const std::vector<Contradiction> found = contradictions(row.settings, Builds::model);
      problems.add(path, found);
      if (!found.empty() && !found.front().of_all) continue;
      const auto seed = static_cast<std::uint64_t>(row.settings.integer("train.seed"));
      add_model({seed, path}, makers.make(row), rows, problems);
    } catch (const CheckpointError& error) {  // names the file
      problems.add(error.what());
    } catch (const ConfigError& error) {
      problems.add(fmt::format("{}: {}", path, error.what()));
    }
  }
  problems.check();
  name_rows(rows);
  outline_of(entrants_of(rows));  // throws for tasks that cannot be compared
  return rows;
}

Settings experiment_of(const std::vector<ModelRow>& rows) {
  Settings experiment = rows.front().entrant.row.settings;
  const std::vector<Plan> all = plans_of(rows);
  const std::vector<std::string> keys = differing_keys(all);
  std::vector<std::string> seeds;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::string& label = rows[i].entrant.row.label;
    experiment.add_to_section("row", label, "", "", origin);
    for (const std::string& key : keys)
      experiment.add_to_section("row", label, key, all[i].full.at(key), origin);
    for (const SavedModel& model : rows[i].models) {
      const std::string seed = std::to_string(model.seed);
      if (std::ranges::find(seeds, seed) == seeds.end()) seeds.push_back(seed);
    }
  }
  experiment.set("experiment.seeds", joined(seeds) + (seeds.size() == 1 ? "," : ""), origin);
  return experiment;
}

}  // namespace ordinal::experiments

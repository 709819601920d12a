#include "experiments/experiment/cell.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>

#include "experiments/results/files.h"
#include "experiments/settings/choices.h"
#include "experiments/settings/plan.h"
#include "framework/core/errors.h"
#include "framework/core/number.h"
#include "framework/storage/atomic_file.h"
#include "framework/storage/hash.h"
#include "framework/storage/json_depth.h"

namespace ordinal::experiments {
namespace {

using Json = nlohmann::ordered_json;

Json settings_json(const Cell& cell) {
  Json stages = Json::array();
  for (const Stage& stage : cell.entrant.stages) {
    stages.push_back(stage.plan.metadata(cell.seed));
  }
  std::vector<std::string> lengths;
  const Settings& settings = cell.entrant.row.settings;
  for (const Index length : evaluation_lengths(settings)) lengths.push_back(std::to_string(length));
  std::vector<std::string> conditions;  // with the options set by their keys
  for (const std::string& condition : settings.list("evaluate.conditions")) {
    conditions.push_back(condition_text(settings, condition));
  }
  const Json evaluation = {{"lengths", joined(lengths)},
                           {"conditions", joined(conditions)},
                           {"batches", settings.integer("evaluate.batches")},
                           {"batch", settings.integer("evaluate.batch")}};
  return {{"stages", stages}, {"evaluation", evaluation}};
}

// The saved settings; stages is empty if they cannot be read.
Json settings_there(const std::filesystem::path& path) {
  const Json empty = {{"stages", Json::array()}, {"evaluation", Json()}};
  if (!std::filesystem::exists(path)) return empty;
  const std::string text = read_file(path, largest_document);
  if (is_nested_too_deep(text)) return empty;
  const Json there = Json::parse(text, nullptr, false);
  const auto is_stage = [](const Json& stage) {
    return stage.is_object() &&
           std::ranges::all_of(stage, [](const Json& value) { return value.is_string(); });
  };
  const bool whole = there.is_object() && there.contains("stages") && there["stages"].is_array() &&
                     std::ranges::all_of(there["stages"], is_stage);
  return whole ? there : empty;
}

std::string way_out(const Difference& difference) {
  const bool is_longer =
      difference.key == "train.steps" && parse_integer(difference.here) > parse_integer(difference.there);
  if (is_longer) {
    return "the learning rate of its schedule depends on the last step, so train its checkpoint further with "
           "train --model, or choose another --out or experiment.name";
  }
  return "choose another --out or experiment.name, or remove it";
}

}  // namespace

std::string weights_hash(const Parameters<float>& values) {
  return fnv1a64_hex(std::as_bytes(values.flat()));
}

std::string settings_hash(const std::filesystem::path& folder) {
  const std::string text = read_file(folder / "settings.json", largest_document);
  return fnv1a64_hex(std::as_bytes(std::span(text)));
}

void begin_cell(const Cell& cell) {
  remove_file(cell.folder / "result.json");
  write_text(cell.folder / "settings.json", settings_json(cell).dump(2) + "\n");
}

void finish_cell(const Cell& cell, CellResult result) {
  result.settings_hash = settings_hash(cell.folder);
  write_file_atomically(cell.folder / "result.json", to_json(result));
}

std::optional<CellResult> finished_result(const Cell& cell) {
  const auto path = cell.folder / "settings.json";
  if (!std::filesystem::exists(cell.folder / "result.json")) return std::nullopt;
  const Json there = settings_there(path);
  const Json here = settings_json(cell);
  const Json& stages = there["stages"];
  if (there.value("evaluation", Json()) != here["evaluation"]) return std::nullopt;
  if (stages.size() != here["stages"].size()) return std::nullopt;
  for (std::size_t i = 0; i < stages.size(); ++i) {
    if (first_difference(stages[i].get<Metadata>(), path.string(), cell.entrant.stages[i].plan,
                         here["stages"][i].get<Metadata>(), Binds::test)) {
      return std::nullopt;
    }
  }
  const std::string text = read_file(cell.folder / "result.json", largest_document);
  try {
    CellResult result = cell_from_json(text);
    const bool belongs = result.settings_hash.empty() || result.settings_hash == settings_hash(cell.folder);
    if (!belongs || result.seed != cell.seed) return std::nullopt;  // it was put here by other means
    result.row = cell.entrant.row.label;                            // the row may have been renamed
    return result;
  } catch (const DataError& error) {
    throw DataError(fmt::format("{}: {}", cell.folder.string(), error.what()));
  }
}

void check_folder(const Cell& cell) {
  const auto path = cell.folder / "settings.json";
  const Json there = settings_there(path)["stages"];
  for (std::size_t i = 0; i < std::min(there.size(), cell.entrant.stages.size()); ++i) {
    const Plan& plan = cell.entrant.stages[i].plan;
    const bool is_last = i + 1 == std::max(there.size(), cell.entrant.stages.size());
    const auto difference = first_difference(there[i].get<Metadata>(), path.string(), plan,
                                             plan.metadata(cell.seed), Binds::training, is_last);
    if (!difference) continue;
    throw ConfigError(fmt::format("{}: it holds results with {} = {}{}, this run has {}; {}",
                                  cell.folder.string(), difference->key, difference->there,
                                  i == 0 ? "" : " in fine-tuning", difference->here, way_out(*difference)));
  }
}

CellResult failed_result(const Cell& cell, const std::string& why, bool diverged) {
  const Settings& settings = cell.entrant.row.settings;
  CellResult result;
  result.row = cell.entrant.row.label;
  result.seed = cell.seed;
  result.parameters = cell.entrant.last().parameters;
  result.train_length = settings.integer("task.train_length");
  for (const Index length : evaluation_lengths(settings)) {
    for (const std::string& condition : settings.list("evaluate.conditions")) {
      LengthScore failed;
      failed.length = length;
      failed.condition = condition;
      failed.failed = !diverged;  // a NaN score means that training diverged
      failed.why = why;
      result.scores.push_back(failed);
    }
  }
  return result;
}

}  // namespace ordinal::experiments

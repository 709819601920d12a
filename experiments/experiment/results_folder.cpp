#include "experiments/experiment/results_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "experiments/experiment/cell.h"
#include "experiments/settings/difference.h"
#include "framework/core/errors.h"
#include "framework/storage/atomic_file.h"
#include "framework/storage/folder_lock.h"
#include "framework/storage/json_depth.h"

namespace ordinal::experiments {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

[[noreturn]] void refuse(const fs::path& path, const std::string& why) {
  throw DataError(fmt::format("{}: {}", path.string(), why));
}

const std::string damaged =
    "it is damaged: it does not hold the JSON that a run writes; run the command of its folder again";

// The folder of a training, or those of each row and seed: only folders with a result.
std::vector<fs::path> cell_folders(const fs::path& folder) {
  if (fs::exists(folder / "result.json")) return {folder};
  std::vector<fs::path> folders;
  if (!fs::exists(folder / "cells")) return folders;
  for (const auto& row : fs::directory_iterator(folder / "cells")) {
    if (!row.is_directory()) continue;
    for (const auto& seed : fs::directory_iterator(row)) {
      if (fs::exists(seed.path() / "result.json")) folders.push_back(seed.path());
    }
  }
  std::ranges::sort(folders);
  return folders;
}

// The folders of the cells read, by row and seed.
using CellFolders = std::map<std::pair<std::string, std::uint64_t>, fs::path>;

CellFolders read_cells(const std::vector<fs::path>& folders, ExperimentResult& result) {
  CellFolders of_cells;
  for (const fs::path& folder : folders) {
    const CellResult& cell = result.cells.emplace_back(read_cell(folder));
    const auto [same, is_new] = of_cells.try_emplace({cell.row, cell.seed}, folder);
    if (is_new) continue;
    refuse(folder / "result.json",
           fmt::format("it holds the result of {}, seed {}, and so does {}; remove the copy", cell.row,
                       cell.seed, same->second.string()));
  }
  return of_cells;
}

// The settings of the training stages and of the evaluation, by key. The seed is the cell's.
Metadata settings_by_key(const CellSettings& of_cell) {
  Metadata settings;
  for (std::size_t i = 0; i < of_cell.stages.size(); ++i) {
    for (const auto& [key, value] : of_cell.stages[i])
      if (key != "train.seed") settings[(i == 0 ? "" : "fine-tuning: ") + key] = value;
  }
  for (const auto& [key, value] : of_cell.evaluation)
    settings[(key == "score_step" ? "train." : "evaluate.") + key] = value;
  return settings;
}

// By row. A run gives all seeds of a row the same settings, and all rows the same scoring except for lengths, which may
// be multiples of training lengths. If a run that rescores with other settings is interrupted, cells of both remain.
void add_settings(const CellFolders& folders, const std::string& writer, ResultsFolder& folder) {
  const std::string way_out = writer.empty() ? "run the command of its folder again to complete it"
                                             : writer + " writes its results there, wait for it";
  const std::string& first_row = folder.result.cells.front().row;
  std::set<std::pair<std::string, std::string>> weights;  // of each row
  for (const CellResult& cell : folder.result.cells) {
    const fs::path& path = folders.at({cell.row, cell.seed});
    if (!cell.weights_hash.empty() && !weights.emplace(cell.row, cell.weights_hash).second)
      refuse(path, fmt::format("it has the weights of another seed of {}, so it does not count; remove it",
                               cell.row));
    Metadata settings = settings_by_key(cell.settings);
    const bool same_row = !folder.settings.try_emplace(cell.row, settings).second;
    std::erase_if(settings, [&](const auto& setting) {
      return !same_row && (!setting.first.starts_with("evaluate.") || setting.first == "evaluate.lengths");
    });
    const auto conflict = first_conflict(folder.settings.at(same_row ? cell.row : first_row), settings);
    if (!conflict) continue;
    refuse(path, fmt::format("it has {} = {}, but {} has {}, so not all are scored alike; {}", conflict->key,
                             conflict->here, same_row ? "another seed of " + cell.row : first_row,
                             conflict->there, way_out));
  }
}

template <typename Value>
void add_new(std::vector<Value>& values, const Value& value) {
  if (std::ranges::find(values, value) == values.end()) values.push_back(value);
}

// The cells that the manifest lists, in its order.
std::vector<CellResult> listed_cells(const Json& manifest, const ResultsFolder& folder) {
  std::vector<CellResult> listed;
  for (const auto& [row, seeds] : manifest.at("weights_hash").items()) {
    for (const auto& [seed, hash] : seeds.items()) {
      const auto found =
          std::ranges::find_if(folder.result.cells, [&, row = row, seed = seed](const CellResult& cell) {
            return cell.row == row && std::to_string(cell.seed) == seed;
          });
      if (found == folder.result.cells.end())
        refuse(folder.path, fmt::format("it has no result.json of {}, seed {}, which its manifest.json "
                                        "lists; run its command again to complete it",
                                        row, seed));
      if (found->weights_hash != hash.get<std::string>())
        refuse(folder.path, fmt::format("its result.json of {}, seed {}, has other weights than its "
                                        "manifest.json lists; run its command again",
                                        row, seed));
      listed.push_back(*found);
    }
  }
  if (listed.empty())
    refuse(folder.path / "manifest.json", "it lists no results; run the command of its folder again");
  return listed;
}

// Reads what the cells are scored by and, if no process writes to the folder, which cells count.
void apply_manifest(const Json& manifest, bool is_complete, ResultsFolder& folder) {
  ExperimentResult& result = folder.result;
  for (const Json& metric : manifest.at("metrics"))
    result.metrics.push_back({metric.at("id").get<std::string>(), metric.at("name").get<std::string>(),
                              metric.at("unit").get<std::string>(),
                              metric.at("lower_is_better").get<bool>()});
  const Json& gate = manifest.at("gate");
  if (!gate.is_null())
    result.gate = LearningGate{gate.at("metric").get<std::string>(), gate.at("threshold").get<double>(),
                               gate.at("text").get<std::string>()};
  folder.is_described = true;
  if (is_complete) result.cells = listed_cells(manifest, folder);
}

void read_manifest(const fs::path& path, bool is_complete, ResultsFolder& folder) {
  const std::string text = read_file(path, largest_document);
  if (is_nested_too_deep(text)) refuse(path, "it is nested too deep");
  try {
    apply_manifest(Json::parse(text), is_complete, folder);
  } catch (const Json::exception&) {
    refuse(path, damaged);
  }
}

// Rows, lengths and conditions of the cells. Without a manifest, the ids of metrics serve as their names.
void add_outline(ResultsFolder& folder) {
  ExperimentResult& result = folder.result;
  result.train_length = result.cells.front().train_length;
  std::vector<std::string> rows;
  for (const CellResult& cell : result.cells) {
    if (cell.train_length != result.train_length) result.train_length = 0;
    add_new(rows, cell.row);
    for (const LengthScore& score : cell.scores) {
      add_new(result.lengths, score.length);
      add_new(result.conditions, score.condition);
      for (const Measurement& measured : score.metrics) {
        const auto same = std::ranges::find(result.metrics, measured.metric, &MetricInfo::id);
        if (same != result.metrics.end()) continue;
        result.metrics.push_back({.id = measured.metric, .name = measured.metric, .unit = ""});
      }
    }
  }
  for (const std::string& row : rows) result.rows.push_back({row, {}, {}});
  std::ranges::sort(result.lengths);
  add_perplexity(result);
}

// Whether it is the score of a model that was trained elsewhere.
bool is_only_scored(const fs::path& result) {
  try {
    const CellResult cell = read_cell(result.parent_path());
    return !cell.weights_hash.empty() && cell.training_curve.empty();
  } catch (const DataError&) {  // it is rejected when it is used
    return false;
  }
}

}  // namespace

void check_out(const fs::path& out, Holds holds, const std::vector<fs::path>& cells) {
  const auto refuse_if = [](bool holds_others, const fs::path& path, const char* what) {
    if (!holds_others) return;
    throw ConfigError(fmt::format("{}: {}; choose another --out, or remove it", path.string(), what));
  };
  std::vector<fs::path> checkpoints;
  std::vector<fs::path> results;
  bool has_one = false;      // a file of a single training
  bool has_several = false;  // files of several models
  std::error_code missing;
  for (fs::recursive_directory_iterator entry(out, missing), end; entry != end; ++entry) {
    const fs::path& path = entry->path();
    if (fs::exists(path / ".lock", missing)) entry.disable_recursion_pending();
    const bool is_checkpoint = path.filename() == "checkpoint.safetensors";
    if (!is_checkpoint && path.filename() != "result.json") continue;
    (is_checkpoint ? checkpoints : results).push_back(path);
    (entry.depth() == 0 ? has_one : has_several) = true;
  }
  if (holds == Holds::training) {
    refuse_if(has_several, out, "it holds the results of several models, expected one training");
  } else if (holds == Holds::experiment) {
    refuse_if(has_one, out, "it holds the results of a single training");
    refuse_if(checkpoints.empty() && std::ranges::any_of(results, is_only_scored), out,
              "it holds scores of checkpoints, which evaluate wrote");
  } else {
    refuse_if(!checkpoints.empty(), out, "it holds trainings");
    for (const fs::path& path : results)
      refuse_if(std::ranges::find(cells, path.parent_path()) == cells.end(), path,
                "none of these checkpoints is of its row and seed");
  }
}

ResultsFolder read_results(const fs::path& path) {
  if (!fs::is_directory(path))
    refuse(path, "no such folder, expected one that extrapolation, train or evaluate wrote");
  ResultsFolder folder{.path = path};
  const std::string writer = folder_writer(path);
  const bool has_manifest = fs::exists(path / "manifest.json");
  const std::vector<fs::path> cells = cell_folders(path);
  if (cells.empty()) {
    refuse(path,
           writer.empty()
               ? "it holds no result.json, expected a folder that extrapolation, train or evaluate wrote"
               : writer + " writes its results there, and none is finished; wait for the first");
  }
  const CellFolders folders = read_cells(cells, folder.result);
  if (has_manifest) read_manifest(path / "manifest.json", writer.empty(), folder);
  if (!writer.empty()) folder.unfinished = writer + " writes its results there";
  if (writer.empty() && !has_manifest) folder.unfinished = "its run was not finished";
  add_settings(folders, writer, folder);
  add_outline(folder);
  return folder;
}

}  // namespace ordinal::experiments

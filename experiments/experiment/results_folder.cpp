#include "experiments/experiment/results_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "experiments/experiment/cell.h"
#include "experiments/settings/plan.h"
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

// What is read from the file's JSON; another structure than `read` expects is refused.
template <typename Read>
void read_json(const fs::path& path, const Read& read) {
  if (!fs::exists(path)) refuse(path, "it is missing; run the command of its folder again to complete it");
  const std::string text = read_file(path, largest_document);
  if (is_nested_too_deep(text)) refuse(path, "it is nested too deep");
  try {
    read(Json::parse(text));
  } catch (const Json::exception&) {
    refuse(path,
           "it is damaged: it does not hold the JSON that a run writes; run the command of its folder again");
  }
}

// result.json of a training, or of each row and seed.
std::vector<fs::path> result_files(const fs::path& folder) {
  if (fs::exists(folder / "result.json")) return {folder / "result.json"};
  std::vector<fs::path> files;
  if (!fs::exists(folder / "cells")) return files;
  for (const auto& row : fs::directory_iterator(folder / "cells")) {
    if (!row.is_directory()) continue;
    for (const auto& seed : fs::directory_iterator(row)) {
      if (fs::exists(seed.path() / "result.json")) files.push_back(seed.path() / "result.json");
    }
  }
  std::ranges::sort(files);
  return files;
}

CellResult read_cell(const fs::path& path) {
  const std::string text = read_file(path, largest_document);
  try {
    return cell_from_json(text);
  } catch (const DataError& error) {
    refuse(path.parent_path(), error.what());  // names the file
  }
}

// The cells that are read, by row and seed, and their folders.
using CellFolders = std::map<std::pair<std::string, std::uint64_t>, fs::path>;

CellFolders read_cells(const std::vector<fs::path>& files, ExperimentResult& result) {
  CellFolders folders;
  for (const fs::path& file : files) {
    const CellResult& cell = result.cells.emplace_back(read_cell(file));
    const auto [same, is_new] = folders.try_emplace({cell.row, cell.seed}, file.parent_path());
    if (!is_new)
      refuse(file, fmt::format("it holds the result of {}, seed {}, and so does {}; remove the copy",
                               cell.row, cell.seed, same->second.string()));
  }
  return folders;
}

// The stages of training and the evaluation, under the names of their keys. The seed is the cell's.
Metadata read_settings(const CellResult& cell, const fs::path& folder, const std::string& way_out) {
  const fs::path path = folder / "settings.json";
  Metadata settings;
  read_json(path, [&](const Json& json) {
    const Json& stages = json.at("stages");
    for (std::size_t i = 0; i < stages.size(); ++i) {
      for (const auto& [key, value] : stages.at(i).items())
        if (key != "train.seed") settings[(i == 0 ? "" : "fine-tuning: ") + key] = value.get<std::string>();
    }
    for (const auto& [key, value] : json.at("evaluation").items())
      settings["evaluate." + key] = value.is_string() ? value.get<std::string>() : value.dump();
  });
  if (!cell.settings_hash.empty() && cell.settings_hash != settings_hash(folder))
    refuse(folder / "result.json", "it does not belong to the settings.json beside it; " + way_out);
  return settings;
}

// What a run gives to all its cells alike: to the seeds of a row everything, to other rows what is scored.
Metadata common_settings(Metadata settings, bool same_row) {
  if (same_row) return settings;
  std::erase_if(settings, [](const auto& setting) {  // lengths may be multiples of those of training
    return !setting.first.starts_with("evaluate.") || setting.first == "evaluate.lengths";
  });
  return settings;
}

// Those of each row. A run that scores finished cells with other settings, and is interrupted, leaves cells of both.
void add_settings(const CellFolders& folders, const std::string& writer, ResultsFolder& folder) {
  const std::string way_out = writer.empty() ? "run the command of its folder again to complete it"
                                             : writer + " writes its results there, wait for it";
  const CellResult& first = folder.result.cells.front();
  std::set<std::pair<std::string, std::string>> weights;  // of each row
  for (const CellResult& cell : folder.result.cells) {
    const fs::path& path = folders.at({cell.row, cell.seed});
    if (!cell.weights_hash.empty() && !weights.emplace(cell.row, cell.weights_hash).second)
      refuse(path, fmt::format("it has the weights of another seed of {}, so it does not count; remove it",
                               cell.row));
    const Metadata settings = read_settings(cell, path, way_out);
    const bool same_row = !folder.settings.try_emplace(cell.row, settings).second;
    const Metadata& there = folder.settings.at(same_row ? cell.row : first.row);
    const auto conflict =
        first_conflict(common_settings(there, same_row), common_settings(settings, same_row));
    if (!conflict) continue;
    refuse(path, fmt::format("it has {} = {}, but {} has {}, so not all are scored alike; {}", conflict->key,
                             conflict->here, same_row ? "another seed of " + cell.row : first.row,
                             conflict->there, way_out));
  }
}

template <typename Value>
void add_new(std::vector<Value>& values, const Value& value) {
  if (std::ranges::find(values, value) == values.end()) values.push_back(value);
}

// The cells that the manifest lists, in its order, and what they are scored by.
void apply_manifest(const Json& manifest, bool is_complete, ResultsFolder& folder) {
  ExperimentResult& result = folder.result;
  if (manifest.contains("metrics")) {  // not in manifests of 0.1.0
    for (const Json& metric : manifest.at("metrics"))
      result.metrics.push_back({metric.at("id").get<std::string>(), metric.at("name").get<std::string>(),
                                metric.at("unit").get<std::string>(),
                                metric.at("lower_is_better").get<bool>()});
    const Json& gate = manifest.at("gate");
    if (!gate.is_null())
      result.gate = LearningGate{gate.at("metric").get<std::string>(), gate.at("threshold").get<double>(),
                                 gate.at("text").get<std::string>()};
    folder.is_described = true;
  }
  if (!is_complete) return;
  std::vector<CellResult> listed;
  for (const auto& [row, seeds] : manifest.at("weights_hash").items()) {
    for (const auto& [seed, hash] : seeds.items()) {
      const auto found =
          std::ranges::find_if(result.cells, [&, row = row, seed = seed](const CellResult& cell) {
            return cell.row == row && std::to_string(cell.seed) == seed;
          });
      if (found == result.cells.end())
        refuse(folder.path,
               fmt::format("it has no result.json of {}, seed {}, which its manifest.json lists; run its "
                           "command again to complete it",
                           row, seed));
      if (found->weights_hash != hash.get<std::string>())
        refuse(folder.path,
               fmt::format("its result.json of {}, seed {}, has other weights than its manifest.json "
                           "lists; run its command again",
                           row, seed));
      listed.push_back(*found);
    }
  }
  if (listed.empty())
    refuse(folder.path / "manifest.json", "it lists no results; run the command of its folder again");
  result.cells = std::move(listed);
}

// Rows, lengths and conditions of the cells; metrics by their ids where no manifest names them.
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

// The score of a model that was trained elsewhere.
bool is_only_scored(const fs::path& result) {
  try {
    const CellResult cell = cell_from_json(read_file(result));
    return !cell.weights_hash.empty() && cell.training_curve.empty();
  } catch (const DataError&) {  // it is refused when it is used
    return false;
  }
}

}  // namespace

void check_out(const fs::path& out, Holds holds, const std::vector<fs::path>& cells) {
  const auto refuse_it = [](const fs::path& path, const char* what) {
    throw ConfigError(fmt::format("{}: {}; choose another --out, or remove it", path.string(), what));
  };
  bool has_checkpoint = false;
  bool has_only_scores = false;
  std::optional<fs::path> other_checkpoint, other_result;
  std::error_code missing;
  for (fs::recursive_directory_iterator entry(out, missing), end; entry != end; ++entry) {
    const fs::path& path = entry->path();
    const bool is_checkpoint = path.filename() == "checkpoint.safetensors";
    if (fs::exists(path / ".lock", missing)) entry.disable_recursion_pending();
    if (!is_checkpoint && path.filename() != "result.json") continue;
    const bool is_of_cells = std::ranges::find(cells, path.parent_path()) != cells.end();
    const bool fits = holds == Holds::scores ? is_of_cells && !is_checkpoint
                                             : (entry.depth() == 0) == (holds == Holds::training);
    if (!fits) (is_checkpoint ? other_checkpoint : other_result) = path;
    has_checkpoint = has_checkpoint || is_checkpoint;
    has_only_scores =
        has_only_scores || (holds == Holds::experiment && !is_checkpoint && is_only_scored(path));
  }
  if (holds == Holds::scores && other_checkpoint) refuse_it(out, "it holds trainings");
  if (holds == Holds::scores && other_result)
    refuse_it(*other_result, "none of these checkpoints is of its row and seed");
  if (other_checkpoint || other_result) {
    refuse_it(out, holds == Holds::training ? "it holds the results of several models, expected one training"
                                            : "it holds the results of a single training");
  }
  if (has_only_scores && !has_checkpoint)
    refuse_it(out, "it holds scores of checkpoints, which evaluate wrote");
}

ResultsFolder read_results(const fs::path& path) {
  if (!fs::is_directory(path))
    refuse(path, "no such folder, expected one that extrapolation, train or evaluate wrote");
  ResultsFolder folder{.path = path};
  const std::string writer = folder_writer(path);
  const bool has_manifest = fs::exists(path / "manifest.json");
  const std::vector<fs::path> files = result_files(path);
  if (files.empty()) {
    refuse(path,
           writer.empty()
               ? "it holds no result.json, expected a folder that extrapolation, train or evaluate wrote"
               : writer + " writes its results there, and none is finished; wait for the first");
  }
  const CellFolders folders = read_cells(files, folder.result);
  if (has_manifest) {
    read_json(path / "manifest.json",
              [&](const Json& manifest) { apply_manifest(manifest, writer.empty(), folder); });
  }
  if (!writer.empty()) folder.unfinished = writer + " writes its results there";
  if (writer.empty() && !has_manifest) folder.unfinished = "its run was not finished";
  add_settings(folders, writer, folder);
  add_outline(folder);
  return folder;
}

}  // namespace ordinal::experiments

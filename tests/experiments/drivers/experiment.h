// Runs an experiment as a user would, and reads what it wrote.
#pragma once

#include <fmt/format.h>

#include <functional>
#include <nlohmann/json.hpp>

#include "experiments/results/result.h"
#include "experiments/settings/parts.h"
#include "framework/storage/safetensors.h"
#include "framework/training/checkpoint.h"
#include "tests/experiments/csv_lines.h"
#include "tests/experiments/drivers/program.h"
#include "tests/experiments/whole.h"

namespace ordinal::experiments::testing {

/// A small experiment with one seed, and the same without --quiet.
inline const std::string one_seed = tiny + "--experiment.seeds=1 ";
inline const std::string with_progress = " --model.d_model=16 --model.layers=1 --model.heads=2 " +
                                         one_seed.substr(one_seed.find("--task.train_length"));

/// A choice between two learning rates, of which one learns nothing.
inline const std::string tuned_run = one_seed + "--compare.tune.train.learning_rate=1e-9,3e-3 ";

/// Two rows that share a first stage.
inline const std::string interpolated =
    "[row interpolated]\nmodel.encoding = rope@contiguous:interpolated\n"
    "[row fine-tuned]\nmodel.encoding = rope@contiguous:interpolated\nfinetune.steps = 6\n"
    "finetune.length = 2x\n";

/// The key that names a part of this kind, and its value for one.
inline std::pair<std::string, std::string> setting_of(const PartKind& kind, const std::string& part) {
  const std::string form =
      kind.form.empty() ? "model.block = attention, feed_forward(activation={})" : kind.form;
  const std::size_t equals = form.find(" = ");
  return {form.substr(0, equals), fmt::format(fmt::runtime(form.substr(equals + 3)), part)};
}

/// If rows differ in a key, it cannot have one value for all.
inline std::string without(const std::string& key, std::string arguments) {
  const std::size_t start = arguments.find("--" + key + "=");
  return arguments.erase(start, arguments.find(' ', start) - start);
}

inline CellResult result(const std::string& row, const std::string& out = "run") {
  return cell_from_json(file(out + "/cells/" + row + "/seed-1/result.json"));
}

inline std::vector<double> values(const std::string& row, const std::string& out = "run") {
  std::vector<double> all;
  for (const Whole& whole : wholes(result(row, out))) all.push_back(whole.value);
  return all;
}

/// The names in a folder.
inline std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(own_folder() / folder))
    names.push_back(entry.path().filename().string());
  std::ranges::sort(names);
  return names;
}

/// The folders of all trainings.
inline std::vector<std::string> trainings(const std::string& out = "run") {
  return names_in(out + "/trainings");
}

/// A setting of the checkpoint in a folder.
inline std::string metadata(const std::string& folder, const std::string& key) {
  return SafetensorsFile(own_folder() / folder / "checkpoint.safetensors").metadata().at(key);
}

/// The folder of the only training with this number of steps and an encoding that begins with `encoding`.
inline std::string training_of(const std::string& steps, const std::string& encoding = "",
                               const std::string& out = "run") {
  std::vector<std::string> found;
  for (const std::string& name : trainings(out)) {
    const std::string folder = out + "/trainings/" + name;
    if (name.ends_with("-" + steps) && metadata(folder, "model.encoding").starts_with(encoding))
      found.push_back(folder);
  }
  EXPECT_EQ(found.size(), 1U) << steps << " steps of " << encoding;
  return found.at(0);
}

/// The target of the link to the checkpoint in a folder.
inline std::string checkpoint_of(const std::string& folder) {
  const auto link = own_folder() / folder / "checkpoint.safetensors";
  return std::filesystem::relative(std::filesystem::canonical(link), std::filesystem::canonical(own_folder()))
      .string();
}

/// Parameters and the state of the optimizer.
inline std::map<std::string, std::vector<float>> tensors(const std::string& folder) {
  const SafetensorsFile checkpoint(own_folder() / folder / "checkpoint.safetensors");
  std::map<std::string, std::vector<float>> all;
  for (const std::string& name : checkpoint.names()) all[name] = checkpoint.values<float>(name);
  return all;
}

/// Writes a checkpoint with these metadata over its own (an empty value leaves the key out), and with tensors that `change` may
/// change or add.
inline void write_checkpoint(
    const std::string& name, const std::string& from, Metadata metadata,
    const std::function<void(std::map<std::string, std::vector<float>>&)>& change = {}) {
  const SafetensorsFile file(own_folder() / from);
  SafetensorsWriter writer;
  for (const auto& [key, value] : file.metadata()) metadata.emplace(key, value);
  for (const auto& [key, value] : metadata)
    if (!value.empty()) writer.set_metadata(key, value);
  std::map<std::string, std::vector<float>> all;
  std::map<std::string, Shape> shapes;
  for (const std::string& tensor : file.names()) {
    all[tensor] = file.values<float>(tensor);
    shapes[tensor] = file.shape(tensor);
  }
  if (change) change(all);
  for (const auto& [tensor, values] : all)
    writer.add(tensor, shapes.emplace(tensor, Shape{std::ssize(values)}).first->second,
               std::span<const float>(values));
  writer.write(own_folder() / name);
}

/// The weights_hash of a row's model.
inline std::string weights(const std::string& row, const std::string& out = "run") {
  return nlohmann::json::parse(file(out + "/manifest.json")).at("weights_hash").at(row).at("1");
}

/// Two experiments have the same numbers and weights.
inline void expect_same_numbers(const std::string& a, const std::string& b) {
  for (const std::string name : {"/table.csv", "/seeds.csv"}) EXPECT_EQ(file(a + name), file(b + name));
  EXPECT_EQ(trainings(a), trainings(b));
  for (const std::string& folder : trainings(a))
    EXPECT_EQ(tensors(a + "/trainings/" + folder), tensors(b + "/trainings/" + folder)) << folder;
}

/// All that an experiment leaves but times.
inline void expect_same_experiment(const std::string& a, const std::string& b) {
  for (const std::string name : {"/table.md", "/manifest.json"}) EXPECT_EQ(file(a + name), file(b + name));
  expect_same_numbers(a, b);
}

inline auto written_at(const std::string& name) {
  return std::filesystem::last_write_time(own_folder() / name);
}

/// The lines of a CSV file by the names of their columns.
inline std::vector<std::map<std::string, std::string>> csv(const std::string& name) {
  return csv_lines(file(name), name);
}

/// The values of a column of table.csv for the rows, without duplicates, in order.
inline std::vector<std::string> column(const std::string& key, const std::string& name = "run/table.csv") {
  std::vector<std::string> found;
  for (const auto& line : csv(name)) {
    if (std::ranges::find(found, line.at(key)) == found.end()) found.push_back(line.at(key));
  }
  return found;
}

inline nlohmann::json without_seconds(const std::string& name) {
  auto json = nlohmann::json::parse(file(name));
  json.erase("seconds");
  json.erase("hash");
  return json;
}

}  // namespace ordinal::experiments::testing

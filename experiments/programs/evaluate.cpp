// evaluate: scores checkpoints at any lengths, under any conditions and on any task that their tokens fit, and writes the
// report of an experiment.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "experiments/experiment/extrapolation.h"
#include "experiments/programs/driver.h"
#include "experiments/settings/checkpoint_settings.h"
#include "experiments/settings/checks.h"
#include "framework/core/errors.h"

namespace ordinal::experiments {
namespace {

// The settings to test a checkpoint, which says how it was trained. The task, the positions and evaluate.… are those given,
// or else the checkpoint's. The model of a config file is ignored: it is that of trainings.
Settings evaluation_settings(const Settings& given, const std::string& path) {
  const Settings trained = settings_of(SafetensorsFile(path), path);
  Settings wanted = given;
  wanted.forget_comparison();
  for (const Key& key : all_keys()) {
    const std::string section = key.section();
    const bool is_of_training = section == "model" || section == "train" || section == "finetune";
    const bool is_batch = key.name == "train.batch" && given.is_given(key.name);
    if (!is_of_training || is_batch || given.origin(key.name) == command_line_origin) continue;
    wanted.reset(key.name);
    if (section == "train" && trained.is_given(key.name)) wanted.set(key.name, trained.text(key.name), path);
  }
  return fine_tuning_settings(wanted, path);
}

// The folder that a row is called as: the one with its seeds, as in rope/seed-1/checkpoint.safetensors, or else that of the file.
std::filesystem::path row_folder(const std::filesystem::path& checkpoint) {
  const auto folder = std::filesystem::absolute(checkpoint).lexically_normal().parent_path();
  const std::string name = folder.filename().string();
  const bool is_of_seed = name.starts_with("seed-") && name.size() > 5 &&
                          name.find_first_not_of("0123456789", 5) == std::string::npos;
  return is_of_seed ? folder.parent_path() : folder;
}

// Adds a checkpoint to the row that is called as its folder, with `as` behind it.
void add_checkpoint(Form& form, const Settings& settings, const std::string& path, const std::string& as) {
  const std::string name = name_by_folder(row_folder(path)) + as;
  const auto seed = static_cast<std::uint64_t>(settings->train.seed);
  Entrant entrant = form.makers.make({name, folder_of(name), {}, settings});
  for (Stage& stage : entrant.stages) stage.rows = {};  // the task may be another than that of training
  auto row = std::ranges::find_if(form.rows, [&](const Entrant& one) { return one.row.label == name; });
  if (row == form.rows.end()) {
    row = form.rows.insert(row, std::move(entrant));
  } else if (row->checkpoints.contains(seed) || row->first().plan.full != entrant.first().plan.full ||
             row->task().data_hash() != entrant.task().data_hash()) {
    throw ConfigError(fmt::format(
        "{}: it would be {} seed {} beside {}, and has the same seed or other settings; leave one of "
        "them out, or score each with an --out of its own",
        path, name, seed, row->checkpoints.begin()->second));
  }
  row->checkpoints[seed] = path;
}

// A line for each row and each of its checkpoints.
std::string plan_text(const Form& form, int threads) {
  std::string text;
  for (const Entrant& row : form.rows) {
    const Workload& work = row.last().work;
    text += fmt::format("{}: {}; scoring {} tokens needs about {:.1f} MB\n", row.row.label, work.positions,
                        work.scored_seq_len, work.scoring.bytes(threads) / 1e6);
    for (const auto& [seed, path] : row.checkpoints) {
      text += fmt::format("  seed {}: {}\n", seed, path);
      text += warning_of_data(path, row.task().data_hash());
    }
  }
  for (const auto& [name, task] : form.makers.tasks()) text += fmt::format("task {}\n", task->describe());
  const Settings& first = form.rows.front().row.settings;
  return text + fmt::format("scored at lengths {} ({})\n", fmt::join(evaluation_lengths(first), ", "),
                            first->evaluate.conditions.text());
}

// The settings of an experiment that would train these rows and seeds. Its first row says on how many examples all are scored.
Settings experiment_of(const std::vector<Entrant>& rows) {
  const std::string origin = "evaluate";
  Settings settings = rows.front().row.settings;
  std::set<std::uint64_t> seeds;
  for (const Entrant& row : rows) {
    for (const auto& [key, value] : row.first().plan.full)
      settings.add_to_section("row", row.row.label, key, value, origin);
    for (const auto& [seed, path] : row.checkpoints) seeds.insert(seed);
  }
  settings.set("experiment.seeds", fmt::format("{},", fmt::join(seeds, ", ")), origin);
  return settings;
}

int evaluate(const CommandLine& command) {
  Form form{.holds = scores_alone, .command = "./experiments/run evaluate " + command.arguments};
  const std::string& encoding = command.settings->model.config.encoding.text();
  const bool is_other = command.settings.origin(encoding_key) == command_line_origin;
  for (const std::string& path : command.several)
    add_checkpoint(form, evaluation_settings(command.settings, path), path,
                   is_other ? " as " + encoding : "");
  const auto unused = unused_settings(form.rows.front().row.settings, Builds::model);
  if (!unused.empty()) throw ConfigError(joined(unused, "\n"));
  const Settings settings = experiment_of(form.rows);
  form.plan = plan_text(form, command.threads);
  return run_experiment(command, settings, command.out.empty() ? "results/evaluate" : command.out,
                        std::move(form));
}

}  // namespace
DriverDescription evaluate_driver() {
  return {.name = "evaluate",
          .summary =
              "Scores checkpoints at any lengths and under any conditions, without training, and writes the "
              "tables, plots and report of an experiment. A row is called as its folder: checkpoints in "
              "<row>/seed-<n> are seeds of one row. Models come from the checkpoints, and so do the task and "
              "positions unless given. With the evaluate.… of its training, a checkpoint gets the same bits.",
          .examples =
              {"evaluate --model results/quick/cells/*/seed-*/checkpoint.safetensors --evaluate.lengths=16x "
               "--out results/further"},
          .sections = {"task", "evaluate"},
          .keys = {"train.batch", "model.encoding", "model.train_length"},
          .unread = {"task.lengths"},
          .options = {"out", "model"},
          .required = {"model"},
          .several = "model",
          .body = evaluate};
}

}  // namespace ordinal::experiments

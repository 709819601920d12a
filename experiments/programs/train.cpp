// train: an experiment of one row and one seed, whose files stand in the results folder itself. Run it again to resume.
#include <fmt/format.h>

#include "experiments/experiment/extrapolation.h"
#include "experiments/programs/driver.h"
#include "experiments/report/grid.h"
#include "experiments/settings/checkpoint_settings.h"
#include "experiments/settings/parts.h"
#include "experiments/training/summary.h"

namespace ordinal::experiments {
namespace {

int train(const CommandLine& command) {
  const std::filesystem::path out = command.out.empty() ? "results/train" : command.out;
  Settings settings = command.settings;
  settings.forget_comparison();
  settings.set("finetune.steps", "0", "train");
  settings.set("experiment.seeds", std::to_string(settings->train.seed) + ",", "train");
  Form form{.holds = a_training,
            .command = "./experiments/run train " + command.arguments,
            .initial = command.model};
  if (!command.model.empty()) {
    form.resolved = fmt::format("model = {}\n\n{}", command.model, settings.resolved_config());
    exchange_encoding(settings);
  }
  Row row = rows_of(settings).front();
  if (!command.model.empty()) {  // whose settings hold every option of its encoding
    const PartKind& kind = part_kind(find_key(encoding_key)->option.kind);
    const std::string label = names_only(named_parts(kind, settings->model.config.encoding));
    row = {label, folder_of(label), {}, settings};
  }
  form.rows.push_back(form.makers.make(row));
  const Stage& stage = form.rows.front().first();
  if (command.settings.has_rows())
    form.plan = fmt::format("trains the settings outside of rows, without the {} of [compare] and [row …]\n",
                            counted(std::ssize(rows_of(command.settings)), "row"));
  form.plan += summary(Transformer<float>(stage.plan.model), stage.plan.seq_len());
  if (!command.model.empty()) form.plan += warning_of_data(command.model, stage.plan.task->data_hash());
  return run_experiment(command, settings, out, std::move(form));
}

}  // namespace
DriverDescription train_driver() {
  return {.name = "train",
          .summary =
              "Trains one model on one task, and writes its checkpoint (safetensors), its scores at longer "
              "lengths and a report. Run it again to resume. With --model it fine-tunes a checkpoint, whose "
              "task, model and positions it takes unless given, also with another encoding "
              "(finetune.encoding).",
          .examples =
              {"train --task.name=text --task.file=book.txt --model.encoding=sinusoidal --out results/book",
               "train --model results/book/checkpoint.safetensors --task.train_length=256 "
               "--model.encoding=sinusoidal@interpolated --train.steps=200 --out results/longer"},
          .sections = {"task", "model", "train", "evaluate"},
          .keys = {"finetune.encoding"},
          .options = {"out", "model"},
          .builds = Builds::model,
          .over_checkpoint = fine_tuning_settings,
          .body = train};
}

}  // namespace ordinal::experiments
